import type { DocumentRecord } from './ports.ts'

type Named = Pick<DocumentRecord, 'workspace_id' | 'id'>

/**
 * The key of a document's bytes. It includes their digest, so that bytes that a client sends during the completion of
 * an upload cannot replace the checked ones.
 */
export function bytesKey({ workspace_id, id, sha256 }: Named & Pick<DocumentRecord, 'sha256'>): string {
  return `files/${workspace_id}/${id}/${sha256}`
}

/** The key of its text, stored as JSON (`StoredText`). */
export function textKey({ workspace_id, id }: Named): string {
  return `texts/${workspace_id}/${id}`
}

/** The key at which the bytes of an announced upload arrive. */
export function uploadKey({ workspace_id, id }: Named): string {
  return `uploads/${workspace_id}/${id}`
}

/** The keys of all stored objects of a document. */
export function keysOf(record: DocumentRecord): string[] {
  return record.upload_expires_at === null ? [bytesKey(record), textKey(record)] : [uploadKey(record)]
}
