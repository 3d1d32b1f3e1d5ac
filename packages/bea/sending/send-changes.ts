import { type CaseTimelineEntry, entriesIn, shortenedSubject, type TimelineEntry } from '#timeline/schema.ts'
import { type NewEvent, toRead } from '#webhooks/catalogue-schema.ts'
import type { BeaDraftChange, BeaDraftRecord, BeaSend, SentBy } from '../drafts/draft-ports.ts'
import type { BeaMessageRecord } from '../ports.ts'
import { followEeb } from './send-jobs.ts'
import { type SendEvent, type SendState, stateAfter } from './send-state.ts'

/** The lease of a worker. When it has ended, another worker may take over. It is renewed every third of this time. */
export const leaseSeconds = 30

/** After this time the sweeper hands a send over again if no worker has claimed it. */
const queuedSeconds = 300

/** The times of the first searches for an unknown send, in minutes. Later searches follow every quarter of an hour. */
const checkMinutes = [1, 4, 11]
const laterCheckMinutes = 15

/** The pause between later attempts to import a sent message. */
const importPauseMinutes = 60

/** The pauses before each attempt. After three days, only the synchronisation imports the message. */
const importMinutes = [1, 5, 15, ...Array<number>(72).fill(importPauseMinutes)]

/** The changed fields of a send. */
type Patch = Partial<BeaSend> & { error?: string | null; attempts?: number }

/**
 * The change that an event makes (`send-state.ts`); undefined if it cannot happen in this state.
 *
 * @param patch fields that the event also changes
 */
export function changeBy(
  current: BeaDraftRecord,
  event: SendEvent,
  now: Date,
  patch: Patch = {},
): BeaDraftChange | undefined {
  const state = stateAfter(current.state, event)
  if (state === undefined || current.send === null) return undefined
  const { error = current.error, attempts = current.attempts, ...ofSend } = patch
  const send = { ...current.send, ...ofSend }
  const record = touched({ ...current, state, error, attempts, send }, now)
  const timeline = event === 'accepted' || event === 'found' ? sentEntries(record, now) : []
  return { record, timeline, events: failureEvents(record), jobs: followersOf(record, current) }
}

/** The webhook event of a failed draft; none for an answer, since its message shows the outcome. */
function failureEvents({ id, account_id, case_id, state, eeb }: BeaDraftRecord): NewEvent[] {
  if (state !== 'failed' || eeb !== null) return []
  const needs = { account_id, operation: 'draft' } as const
  return [{ type: 'bea_message.failed', data: { id, case_id }, needs }]
}

/** The webhook event of a sent draft, once its message is imported. */
export function sentEvents(
  { id: draft_id, account_id, case_id, eeb }: BeaDraftRecord,
  { id, confidential }: Pick<BeaMessageRecord, 'id' | 'confidential'>,
): NewEvent[] {
  if (eeb !== null) return []
  const needs = toRead({ account_id, confidential })
  return [{ type: 'bea_message.sent', data: { id, case_id, draft_id }, needs }]
}

/** The record with the next version, and with the time when the sweeper hands it over again. */
export function touched(record: BeaDraftRecord, now: Date): BeaDraftRecord {
  return {
    ...record,
    due_at: dueAt(record, now),
    updated_at: now.toISOString(),
    version: record.version + 1,
  }
}

/** The job that records the state of an answer in its message; none for a draft. */
function followersOf(record: BeaDraftRecord, before: BeaDraftRecord) {
  if (record.eeb === null || record.state === before.state) return []
  return [followEeb.of({ workspace_id: record.workspace_id, draft_id: record.id })]
}

function dueAt({ state, send, message_id }: BeaDraftRecord, now: Date): string | null {
  if (send === null) return null
  const inMinutes = (minutes: number) => minutesAfter(now, minutes)
  const laterImport = (imports: number) => {
    const minutes = importMinutes[imports]
    return minutes === undefined ? null : inMinutes(minutes)
  }
  const due: Record<SendState, () => string | null> = {
    draft: () => null,
    queued: () => inMinutes(queuedSeconds / 60),
    preparing: () => send.lease_until ?? inMinutes(0),
    confirming: () => send.lease_until ?? inMinutes(0),
    unknown: () => inMinutes(checkPause(send.checks)),
    sent: () => (message_id === null ? laterImport(send.imports) : null),
    failed: () => null,
  }
  return due[state]()
}

/** The time of the next attempt to import a sent message, after an attempt that is not counted. */
export function importAfterPause(now: Date): string {
  return minutesAfter(now, importPauseMinutes)
}

function minutesAfter(now: Date, minutes: number): string {
  return new Date(now.getTime() + minutes * 60_000).toISOString()
}

function checkPause(checks: number): number {
  const at = checkMinutes[checks]
  return at === undefined ? laterCheckMinutes : at - (checkMinutes[checks - 1] ?? 0)
}

/** The entry of a sent draft in the timeline of its case. An answer has another entry (`eeb.ts`). */
function sentEntries(record: BeaDraftRecord, now: Date): CaseTimelineEntry[] {
  const { eeb, send, to } = record
  if (eeb !== null || send === null) return []
  const [first, ...others] = to
  const more = others.length === 0 ? '' : ` und ${others.length} weitere`
  const summary = `beA-Nachricht an ${first?.name || first?.bea_id}${more} gesendet: „${shortenedSubject(record.subject)}“`
  return entriesOf(record, { type: 'bea.sent', actor: userOf(send.by), summary }, now)
}

/** The user, in the form of timelines. */
export function userOf({ id, name }: Pick<SentBy, 'id' | 'name'>): TimelineEntry['actor'] {
  return { type: 'user', id, name }
}

/** An entry for the timeline of the draft's case; none if it has no case. */
export function entriesOf(
  { case_id, id }: Pick<BeaDraftRecord, 'case_id' | 'id'>,
  entry: Pick<TimelineEntry, 'type' | 'actor' | 'summary'>,
  now: Date,
): CaseTimelineEntry[] {
  return entriesIn(case_id, { ...entry, occurred_at: now.toISOString(), ref: { type: 'bea_draft', id } })
}
