import type { EntityItem } from 'electrodb'
import type { DocumentRecord, ListedDocument } from '#documents/ports.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Arrived } from '../inbox/arrival-actions.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { recordList } from '../search.ts'
import { documentEntity } from './document-entity.ts'

export type DocumentItem = EntityItem<ReturnType<typeof documentEntity>>

/** The record of a stored document. */
export function documentRecord({
  deleted_at: _,
  metadata,
  assigned_at,
  envelope_ids,
  ...item
}: DocumentItem): DocumentRecord {
  return {
    ...withNulls(item, documentEntity.nullable),
    assigned_at: assigned_at ?? {},
    envelope_ids: envelope_ids ?? [],
    metadata: parsed(metadata ?? null),
  }
}

/** The item of a document: `metadata` is JSON text. */
export function documentItem(record: DocumentRecord & { changed_at: string }) {
  const { metadata, left_case_at = null } = record
  return withoutNulls({ ...record, left_case_at, metadata: written(metadata) })
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
