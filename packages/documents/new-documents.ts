import { type InboxState, newInInbox } from '#inbox/schema.ts'
import type { Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { isRefusal } from '#kernel/failure.ts'
import { newId, timeOf } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { type CaseTimelineEntry, entryOf, type TimelineEntry } from '#timeline/schema.ts'
import { indexDigests, readDocuments } from './jobs.ts'
import { bytesKey } from './keys.ts'
import type { DocumentDeps, DocumentRecord } from './ports.ts'

/**
 * A new record: pending and not filed, unless `about` says otherwise. Its creation time is the time in its id, even if
 * the id is derived from the id of a mail. So ids and creation times have the same order.
 */
export function newRecord<
  About extends Pick<DocumentRecord, 'filename' | 'mime_type' | 'size_bytes' | 'sha256' | 'source'> &
    Partial<DocumentRecord>,
>(clock: Clock, workspaceId: string, about: About): DocumentRecord & Pick<About, 'sha256'> {
  const { id = newId('document') } = about
  return {
    workspace_id: workspaceId,
    id,
    status: 'pending',
    status_reason: null,
    case_id: null,
    folder_id: null,
    parties: [],
    extracted_text_length: null,
    page_count: null,
    metadata: null,
    created_at: timeOf(id).toISOString(),
    updated_at: timestamp(clock),
    has_twins: false,
    upload_expires_at: null,
    assigned_at: {},
    attempts: 0,
    attempted_at: null,
    correspondence_id: null,
    inbox: null,
    envelope_ids: [],
    version: 1,
    ...about,
  }
}

/** The inbox state of a new document, before its triage. */
export function newInboxState(clock: Clock): InboxState {
  return newInInbox(timestamp(clock))
}

/** A document whose bytes are known. */
export type WithDigest = DocumentRecord & { sha256: string }

/** How many attached documents one transaction adds. A transaction has at most 100 actions. */
export const documentsPerTransaction = 10

/**
 * Stores the bytes, then the records, all or none (D1). If the store refuses the records, the bytes are removed. If the
 * process dies in between, the sweeper removes them after a day (D13).
 *
 * @throws Failure CASE_NOT_FOUND, FOLDER_NOT_FOUND if the case or folder was deleted meanwhile
 */
export async function addDocuments<Answer>(
  { store, files }: Pick<DocumentDeps, 'store' | 'files'>,
  documents: { record: WithDigest; bytes: Uint8Array; timeline?: CaseTimelineEntry[] }[],
  answer: Answer,
): Promise<Answered<Answer>> {
  await store.noteBytes(documents.map(({ record }) => record))
  await Promise.all(
    documents.map(({ record, bytes }) =>
      files.put(bytesKey(record), bytes, { mimeType: record.mime_type, sha256: record.sha256 }),
    ),
  )
  const jobs = acceptedJobs(documents.map(({ record }) => record))
  const changes = documents.map(({ bytes: _, ...change }, at) => ({ ...change, jobs: at === 0 ? jobs : [] }))
  return store.add(changes, answer).catch(async (error: unknown) => {
    if (isRefusal(error)) await files.remove(documents.map(({ record }) => bytesKey(record))).catch(() => {})
    throw error
  })
}

/** The timeline entries of a new document: one, or none if it has no case. */
export function creationEntries(
  clock: Clock,
  by: Actor | TimelineEntry['actor'],
  record: DocumentRecord,
): CaseTimelineEntry[] {
  return documentEntries(clock, by, record, {
    type: 'document.created',
    summary: `Dokument „${record.filename}“ hinzugefügt`,
  })
}

/**
 * The timeline entries for an action on a document at this moment: one, or none if the document has no case or its
 * bytes have not arrived.
 */
export function documentEntries(
  clock: Clock,
  by: Actor | TimelineEntry['actor'],
  { id, case_id, upload_expires_at }: DocumentRecord,
  what: Pick<TimelineEntry, 'type' | 'summary'>,
): CaseTimelineEntry[] {
  if (case_id === null || upload_expires_at !== null) return []
  return [{ case_id, entry: entryOf(clock, by, { ...what, ref: { type: 'document', id } }) }]
}

/** The jobs to run once the bytes of these documents are stored. All belong to one workspace. */
export function acceptedJobs(records: WithDigest[]): Job[] {
  const [first] = records
  if (first === undefined) return []
  const { workspace_id } = first
  return [
    readDocuments.of({ workspace_id, ids: records.map(({ id }) => id) }),
    indexDigests.of({ workspace_id, documents: records.map(({ id, sha256 }) => ({ id, sha256 })) }),
  ]
}
