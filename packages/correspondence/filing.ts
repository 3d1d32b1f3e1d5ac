import { type FilingInput, type InboxState, inboxAfter } from '#inbox/schema.ts'
import type { Job } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import { writeMailAddress } from './address-schema.ts'
import { followFiling } from './jobs.ts'
import type { CorrespondenceChange, CorrespondenceRecord } from './ports.ts'
import { entriesOf, shortened } from './settle.ts'

/** Who files a mail, and when. `evidence`: of the triage, why it does so, in German. */
export type FiledBy = { actor: TimelineEntry['actor']; at: string; evidence?: string[] }

/** The triage, where it files by itself (I5). */
export const triageActor: TimelineEntry['actor'] = { type: 'system', id: null, name: 'Aktenlage' }

/**
 * The change by which a mail is filed (I6, `inboxAfter`); undefined where nothing changes. What the input does not name
 * stays as it is, and `null` clears.
 *
 * The case that the mail enters gets one entry, and so does the case that it leaves, or the one that it stays in. The
 * store checks that the case exists; its status does not matter.
 *
 * @throws Failure INBOX_ITEM_NOT_FOUND where it never came into the inbox
 */
export function filed(
  current: CorrespondenceRecord,
  input: FilingInput,
  by: FiledBy,
): CorrespondenceChange | undefined {
  const inbox = requireInbox(current)
  const { case_id = current.case_id, party_id = current.party_id, assigned_to = current.assigned_to } = input
  const isPerson = by.actor.type === 'user'
  const after = inboxAfter(inbox, { before: current, after: { case_id, party_id }, input, isPerson })
  return changed(current, { case_id, party_id, assigned_to, inbox: after }, by)
}

/**
 * The change by which a mail leaves the inbox without being filed; undefined where nothing changes. What is filed stays
 * filed: of a person who files and one who dismisses at the same moment the one who files prevails.
 *
 * @throws Failure INBOX_ITEM_NOT_FOUND where it never came into the inbox
 */
export function dismissed(current: CorrespondenceRecord, by: FiledBy): CorrespondenceChange | undefined {
  const inbox = requireInbox(current)
  if (inbox.state === 'filed') return undefined
  return changed(current, { inbox: { ...inbox, state: 'dismissed', is_decided: true } }, by)
}

/**
 * The change by which a mail comes back into the inbox, out of the case where it was filed; undefined where nothing
 * changes. Mail of ours that came back stays in its case: it was sent there.
 *
 * @throws Failure INBOX_ITEM_NOT_FOUND where it never came into the inbox
 */
export function reopened(current: CorrespondenceRecord, by: FiledBy): CorrespondenceChange | undefined {
  const inbox: InboxState = { ...requireInbox(current), state: 'open', is_decided: true }
  const case_id = current.direction === 'outbound' ? current.case_id : null
  return changed(current, { case_id, inbox }, by)
}

function requireInbox({ inbox }: CorrespondenceRecord): InboxState {
  if (inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
  return inbox
}

function changed(
  current: CorrespondenceRecord,
  changes: Pick<CorrespondenceRecord, 'inbox'> &
    Partial<Pick<CorrespondenceRecord, 'case_id' | 'party_id' | 'assigned_to'>>,
  by: FiledBy,
): CorrespondenceChange | undefined {
  const record = { ...current, ...changes }
  if (sameParts(record, current)) return undefined
  const isMoved = record.case_id !== current.case_id
  return {
    record: { ...record, version: current.version + 1 },
    timelineEntries: isMoved ? movedEntries(current, record, by) : stayedEntries(current, record, by),
    jobs: isMoved ? followUps(record, current.case_id, by.at) : [],
  }
}

/**
 * The jobs that follow a mail into another case, or out of its case: its attachments and what its case learnt of it. They
 * also follow a mail whose attachments are recorded after it was filed; then `from` is null.
 */
export function followUps(
  { workspace_id, id }: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
  from: string | null,
  at: string,
): Job[] {
  return [followFiling.of({ workspace_id, correspondence_id: id, from, at })]
}

const maxReasonLength = 500

function movedEntries(
  before: CorrespondenceRecord,
  after: CorrespondenceRecord,
  by: FiledBy,
): CaseTimelineEntry[] {
  const because = by.evidence?.length ? `: ${beginningOf(by.evidence.join('; '), maxReasonLength)}` : ''
  const how = by.actor.type === 'system' ? 'automatisch der Akte zugeordnet' : 'der Akte zugeordnet'
  return [
    ...entriesOf(before, {
      type: 'mail.unfiled',
      occurred_at: by.at,
      actor: by.actor,
      summary: `${named(before)} aus der Akte genommen`,
    }),
    ...entriesOf(after, {
      type: 'mail.filed',
      occurred_at: by.at,
      actor: by.actor,
      summary: `${named(after)} ${how}${because}`,
    }),
  ]
}

function stayedEntries(
  before: CorrespondenceRecord,
  after: CorrespondenceRecord,
  by: FiledBy,
): CaseTimelineEntry[] {
  const what = [
    ...(after.party_id !== before.party_id ? ['Beteiligter'] : []),
    ...(after.assigned_to !== before.assigned_to ? ['Zuständigkeit'] : []),
    ...(after.inbox?.state !== before.inbox?.state ? ['Posteingang'] : []),
  ]
  if (what.length === 0) return []
  return entriesOf(after, {
    type: 'mail.assigned',
    occurred_at: by.at,
    actor: by.actor,
    summary: `${named(after)}: ${what.join(' und ')} geändert`,
  })
}

function named({ direction, subject, from, to }: CorrespondenceRecord): string {
  const whose =
    direction === 'inbound'
      ? from.email === ''
        ? ''
        : ` von ${writeMailAddress(from)}`
      : ` an ${to[0] ?? ''}`
  return `E-Mail „${shortened(subject)}“${whose}`
}

function sameParts(one: CorrespondenceRecord, other: CorrespondenceRecord): boolean {
  return (
    one.case_id === other.case_id &&
    one.party_id === other.party_id &&
    one.assigned_to === other.assigned_to &&
    one.inbox?.state === other.inbox?.state &&
    one.inbox?.is_decided === other.inbox?.is_decided
  )
}
