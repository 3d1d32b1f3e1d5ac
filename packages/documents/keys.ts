import type { DocumentRecord } from './ports.ts'

type Named = Pick<DocumentRecord, 'workspace_id' | 'id'>

/**
 * Where the bytes of a document lie. Their digest is part of it, so that bytes which arrive while others are just
 * taken over cannot come into their place.
 */
export function bytesKey({ workspace_id, id, sha256 }: Named & Pick<DocumentRecord, 'sha256'>): string {
  return `files/${workspace_id}/${id}/${sha256}`
}

/** Where its text lies, as the answer of `POST …/extract`. */
export function textKey({ workspace_id, id }: Named): string {
  return `texts/${workspace_id}/${id}`
}

/** Where the bytes of an announced upload arrive. */
export function uploadKey({ workspace_id, id }: Named): string {
  return `uploads/${workspace_id}/${id}`
}

/** Every place where bytes and text of a document may lie. */
export function keysOf(record: DocumentRecord): string[] {
  return record.upload_expires_at === null ? [bytesKey(record), textKey(record)] : [uploadKey(record)]
}
