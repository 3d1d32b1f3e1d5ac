import { isDeepStrictEqual } from 'node:util'
import { type FilingInput, type InboxState, inboxAfter } from '#inbox/schema.ts'
import type { Job } from '#jobs/job.ts'
import { notFound } from '#kernel/failure.ts'
import { derivedIdAt, newId } from '#kernel/id.ts'
import { beginningOf } from '#kernel/text.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import { eebEntries } from './eeb-entries.ts'
import { followBeaFiling, isLargeFiling } from './jobs.ts'
import { namedMessage } from './naming.ts'
import type { BeaMessageChange, BeaMessageRecord } from './ports.ts'
import type { BeaOperation } from './rights.ts'

/** Who files a message, and when. `evidence`: of the triage, why it does so, in German. */
export type FiledBy = { actor: TimelineEntry['actor']; at: string; evidence?: string[] }

/** The triage, where it files by itself (I5). */
export const triageActor: TimelineEntry['actor'] = { type: 'system', id: null, name: 'Aktenlage' }

/**
 * The change by which a message is filed (B6, `inboxAfter`); undefined where nothing changes. What the input does not name
 * stays as it is, and `null` clears. The case that it enters gets one entry, and so does the case that it leaves, or the
 * one that it stays in. From now on its attachments have the ids of their documents; the job makes them. Those of a
 * confidential message stay with it: everybody in the office reads documents, and what is derived from a confidential
 * message is confidential (B10).
 */
export function assigned(
  current: BeaMessageRecord,
  input: FilingInput,
  by: FiledBy,
): BeaMessageChange | undefined {
  const { case_id = current.case_id, party_id = current.party_id } = input
  const isPerson = by.actor.type === 'user'
  const inbox =
    current.inbox &&
    inboxAfter(current.inbox, { before: current, after: { case_id, party_id }, input, isPerson })
  return changed(current, { case_id, party_id, inbox }, by)
}

/** What assigning a message needs (B8): only who may read a confidential one decides what becomes of it. */
export function assigningOf({ confidential }: Pick<BeaMessageRecord, 'confidential'>): BeaOperation {
  return confidential ? 'assign_confidential' : 'assign'
}

/** The change by which a message leaves the inbox without being filed. What is filed stays filed. */
export function dismissed(current: BeaMessageRecord, by: FiledBy): BeaMessageChange | undefined {
  const inbox = requireInbox(current)
  if (inbox.state === 'filed') return undefined
  return changed(current, { inbox: { ...inbox, state: 'dismissed', is_decided: true } }, by)
}

/** The change by which a message comes back into the inbox, out of the case where it was filed. */
export function reopened(current: BeaMessageRecord, by: FiledBy): BeaMessageChange | undefined {
  const inbox: InboxState = { ...requireInbox(current), state: 'open', is_decided: true }
  return changed(current, { case_id: null, inbox }, by)
}

/** @throws Failure INBOX_ITEM_NOT_FOUND where it never came into the inbox */
export function requireInbox({ inbox }: Pick<BeaMessageRecord, 'inbox'>): InboxState {
  if (inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
  return inbox
}

/** The jobs that follow a message into a case, out of `from`, or bring in line what its case learns of it. */
export function followUps(
  { workspace_id, id }: Pick<BeaMessageRecord, 'workspace_id' | 'id'>,
  from: string | null,
  at: string,
): Job[] {
  return [followBeaFiling.of({ workspace_id, message_id: id, from, at })]
}

const maxReason = 500

function changed(
  current: BeaMessageRecord,
  changes: Partial<Pick<BeaMessageRecord, 'inbox' | 'case_id' | 'party_id'>>,
  by: FiledBy,
): BeaMessageChange | undefined {
  const record = { ...current, ...changes }
  if (isDeepStrictEqual(record, current)) return undefined
  const isMoved = record.case_id !== current.case_id
  const attachments = record.case_id === null ? record.attachments : withDocuments(record, by.at)
  const isFiling = isMoved && isLargeFiling(record) && attachments.some(({ document_id }) => document_id)
  return {
    record: {
      ...record,
      attachments,
      ...(isFiling && { filing: { from: current.case_id, at: by.at } }),
      version: current.version + 1,
    },
    timelineEntries: isMoved ? movedEntries(current, record, by) : stayedEntries(current, record, by),
    jobs: isMoved ? followUps(record, current.case_id, by.at) : [],
  }
}

/** The ids that the documents of the attachments have: those of the first filing. */
function withDocuments(
  { attachments, confidential }: BeaMessageRecord,
  at: string,
): BeaMessageRecord['attachments'] {
  if (confidential) return attachments
  return attachments.map((attachment) => ({
    ...attachment,
    document_id: attachment.document_id ?? derivedIdAt('document', attachment.id, new Date(at)),
  }))
}

function movedEntries(before: BeaMessageRecord, after: BeaMessageRecord, by: FiledBy): CaseTimelineEntry[] {
  const because = by.evidence?.length ? `: ${beginningOf(by.evidence.join('; '), maxReason)}` : ''
  const how = by.actor.type === 'system' ? 'automatisch der Akte zugeordnet' : 'der Akte zugeordnet'
  return [
    ...entryIn(before, 'bea.unfiled', `${namedMessage(before)} aus der Akte genommen`, by),
    ...entryIn(after, 'bea.filed', `${namedMessage(after)} ${how}${because}`, by),
    ...eebEntries(after, by.at),
  ]
}

function stayedEntries(before: BeaMessageRecord, after: BeaMessageRecord, by: FiledBy): CaseTimelineEntry[] {
  const what = [
    ...(after.party_id !== before.party_id ? ['Beteiligter'] : []),
    ...(after.inbox?.assigned_to !== before.inbox?.assigned_to ? ['Zuständigkeit'] : []),
    ...(after.inbox?.state !== before.inbox?.state ? ['Posteingang'] : []),
  ]
  if (what.length === 0) return []
  return entryIn(after, 'bea.assigned', `${namedMessage(after)}: ${what.join(' und ')} geändert`, by)
}

function entryIn(
  { id, case_id }: BeaMessageRecord,
  type: string,
  summary: string,
  { actor, at: occurred_at }: FiledBy,
): CaseTimelineEntry[] {
  if (case_id === null) return []
  const ref = { type: 'bea_message', id }
  return [{ case_id, entry: { id: newId('timelineEntry'), type, occurred_at, actor, summary, ref } }]
}
