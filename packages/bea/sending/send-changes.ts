import { type CaseTimelineEntry, entriesIn, shortenedSubject, type TimelineEntry } from '#timeline/schema.ts'
import { type NewEvent, toRead } from '#webhooks/catalogue-schema.ts'
import type { BeaDraftChange, BeaDraftRecord, BeaSend, SentBy } from '../drafts/draft-ports.ts'
import type { BeaMessageRecord } from '../ports.ts'
import { followEeb } from './send-jobs.ts'
import { type SendEvent, type SendState, stateAfter } from './send-state.ts'

/** How long a worker may be silent before another one takes over. It renews its lease three times as often. */
export const leaseSeconds = 30

/** After this time the sweeper hands over again a send that no worker took. */
const queuedSeconds = 300

/** The minutes after which an unknown send is looked for, one look after the other; then every quarter of an hour. */
const checkMinutes = [1, 4, 11]
const laterCheckMinutes = 15

/** The pause between attempts to import a sent message, after the first ones. */
const importPauseMinutes = 60

/** The pauses between these attempts; after three days only the synchronisation imports the message. */
const importMinutes = [1, 5, 15, ...Array<number>(72).fill(importPauseMinutes)]

/** The changes of the send itself by an event. */
type Patch = Partial<BeaSend> & { error?: string | null; attempts?: number }

/**
 * The change that an event makes (`send-state.ts`); undefined if it cannot happen in this state.
 *
 * @param patch what becomes known with it
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

/** A draft that an event makes `failed`. An answer is no draft to anybody: its message shows what became of it. */
function failureEvents({ id, account_id, case_id, state, eeb }: BeaDraftRecord): NewEvent[] {
  if (state !== 'failed' || eeb !== null) return []
  const needs = { account_id, operation: 'draft' } as const
  return [{ type: 'bea_message.failed', data: { id, case_id }, needs }]
}

/** That a draft was sent, once its message is imported. */
export function sentEvents(
  { id: draft_id, account_id, case_id, eeb }: BeaDraftRecord,
  { id, confidential }: Pick<BeaMessageRecord, 'id' | 'confidential'>,
): NewEvent[] {
  if (eeb !== null) return []
  const needs = toRead({ account_id, confidential })
  return [{ type: 'bea_message.sent', data: { id, case_id, draft_id }, needs }]
}

/** The record of a change that is no event, with the time at which the sweeper must look again. */
export function touched(record: BeaDraftRecord, now: Date): BeaDraftRecord {
  return {
    ...record,
    due_at: dueAt(record, now),
    updated_at: now.toISOString(),
    version: record.version + 1,
  }
}

/** The status of an answer shows in its message. */
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

/** When an attempt to import a sent message that does not count is followed by another one. */
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

/** The one entry of a sent draft in the timeline of its case. An answer has its own (`eeb.ts`). */
function sentEntries(record: BeaDraftRecord, now: Date): CaseTimelineEntry[] {
  const { eeb, send, to } = record
  if (eeb !== null || send === null) return []
  const [first, ...others] = to
  const more = others.length === 0 ? '' : ` und ${others.length} weitere`
  const summary = `beA-Nachricht an ${first?.name || first?.bea_id}${more} gesendet: „${shortenedSubject(record.subject)}“`
  return entriesOf(record, { type: 'bea.sent', actor: userOf(send.by), summary }, now)
}

/** A user, as timelines name them. */
export function userOf({ id, name }: Pick<SentBy, 'id' | 'name'>): TimelineEntry['actor'] {
  return { type: 'user', id, name }
}

/** The entry that something adds to the timeline of the draft's case; none if it has no case. */
export function entriesOf(
  { case_id, id }: Pick<BeaDraftRecord, 'case_id' | 'id'>,
  entry: Pick<TimelineEntry, 'type' | 'actor' | 'summary'>,
  now: Date,
): CaseTimelineEntry[] {
  return entriesIn(case_id, { ...entry, occurred_at: now.toISOString(), ref: { type: 'bea_draft', id } })
}
