import { createHash } from 'node:crypto'

/** The strong entity tag of an answer: it changes exactly when the answer's JSON does (G10). */
export function etagOf(answer: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27)}"`
}

/** Whether an `If-Match` header matches this tag. A weak tag never matches (RFC 9110, 13.1.1). */
export function ifMatchHolds(header: string, etag: string): boolean {
  return tags(header).some((tag) => tag === '*' || tag === etag)
}

/** Whether an `If-None-Match` header matches this tag, weak or strong (RFC 9110, 13.1.2). */
export function ifNoneMatchHits(header: string, etag: string): boolean {
  return tags(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
}

/** Whether all entity tags in a header are well-formed: in quotes, or `*` (RFC 9110, 8.8.3). */
export function areEntityTags(header: string): boolean {
  return tags(header).every((tag) => tag === '*' || /^(?:W\/)?"[^"]*"$/.test(tag))
}

function tags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim())
}
