import type { DocumentRecord } from './ports.ts'

type Named = Pick<DocumentRecord, 'workspace_id' | 'id'>

/** Where the bytes of a document lie. */
export function bytesKey({ workspace_id, id }: Named): string {
  return `files/${workspace_id}/${id}`
}

/** Where its text lies, as the answer of `POST …/extract`. */
export function textKey({ workspace_id, id }: Named): string {
  return `texts/${workspace_id}/${id}`
}

/** Where the bytes of an announced upload arrive. */
export function uploadKey({ workspace_id, id }: Named): string {
  return `uploads/${workspace_id}/${id}`
}
