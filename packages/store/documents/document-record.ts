import type { DocumentRecord, ListedDocument } from '#documents/ports.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { readById } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Arrived } from '../inbox/arrival-actions.ts'
import { records } from '../records.ts'
import { recordList } from '../search.ts'
import { documentEntity } from './document-entity.ts'

/** The records of documents, without deleted documents and expired uploads. */
export function documentRecords({ db, clock }: { db: Db; clock: Clock }) {
  const documents = documentEntity(db)
  return {
    ...storedDocuments(db, (record) => isOver(record, clock)),

    /** The existing ids among these, including deleted documents, with the digests of the accepted bytes. */
    known: async (workspaceId: string, ids: string[]): Promise<Map<string, string | null>> => {
      const items = await readById(db, documents, workspaceId, ids)
      // The digest of an announced upload is what the client says.
      return new Map(
        items.map(({ id, upload_expires_at, sha256 = null }) => [id, upload_expires_at ? null : sha256]),
      )
    },
  }
}

/** The records of documents. @param isHidden says which of them are not found, besides deleted ones */
export function storedDocuments(db: Db, isHidden?: (record: DocumentRecord) => boolean) {
  return records<DocumentRecord, HeldDocument>(db, documentEntity, {
    missing: 'DOCUMENT_NOT_FOUND',
    ...(isHidden && { isOver: isHidden }),
    mayLack: {
      'assigned_at.case_id': true,
      'assigned_at.folder_id': true,
      'assigned_at.mail': true,
      'assigned_at.parties': true,
    },
    form: {
      read: ({ metadata, assigned_at = {}, envelope_ids = [], ...held }) => ({
        ...held,
        assigned_at,
        envelope_ids,
        metadata: parsed(metadata),
      }),
      held: ({ metadata, ...record }) => ({ ...record, metadata: written(metadata) }),
    },
  })
}

/** A document as its item holds it. */
type HeldDocument = Omit<DocumentRecord, 'metadata' | 'assigned_at' | 'envelope_ids'> &
  Partial<Pick<DocumentRecord, 'assigned_at' | 'envelope_ids'>> & {
    /** JSON text. */
    metadata: string | null
  }

/** Whether it is an announced upload that has expired. */
export function isOver(
  { upload_expires_at }: Pick<DocumentRecord, 'upload_expires_at'>,
  clock: Clock,
): boolean {
  return upload_expires_at !== null && upload_expires_at <= timestamp(clock)
}

/** The fields of a document that its list entry holds. */
export type DocumentSummary = Omit<ListedDocument, 'workspace_id' | 'metadata'> & { metadata: string | null }

/** A document as an item of the list. */
export function listedDocument(workspaceId: string, summary: DocumentSummary): ListedDocument {
  return { ...summary, workspace_id: workspaceId, metadata: parsed(summary.metadata) }
}

/** The fields of a document that its list entries leave out. */
const unlisted: { [Field in Exclude<keyof DocumentRecord, keyof DocumentSummary>]-?: true } = {
  workspace_id: true,
  version: true,
  changed_at: true,
  assigned_at: true,
  attempts: true,
  attempted_at: true,
  correspondence_id: true,
  inbox: true,
  envelope_ids: true,
  left_case_at: true,
}

/** The searchable list of documents. */
export function documentList(db: Db, cursors: Cursors) {
  return recordList(db, cursors, 'documents', (record: DocumentRecord) => {
    const { id, filename, status, case_id, folder_id, changed_at } = record
    const shown = Object.entries({ ...record, metadata: written(record.metadata) })
    const summary = Object.fromEntries(shown.filter(([field]) => !(field in unlisted)))
    return { id, summary, filters: { status, case_id, folder_id }, texts: [filename], changed_at }
  })
}

/** A document as the inbox sees it: it is in the list while it is in no case and no folder. */
export function arrivedDocument(record: DocumentRecord): Arrived {
  const { workspace_id, id, created_at, inbox, case_id, folder_id } = record
  const isListed = inbox?.state === 'open' && case_id === null && folder_id === null
  return { workspace_id, id, created_at, kind: 'document', inbox, isListed }
}

function written(metadata: DocumentRecord['metadata']): string | null {
  return metadata === null ? null : JSON.stringify(metadata)
}

function parsed(text: string | null): DocumentRecord['metadata'] {
  return text === null ? null : JSON.parse(text)
}
