import { createHash } from 'node:crypto'

/** The strong entity tag of an answer: it changes exactly when the answer's JSON does (G10). */
export function etagOf(answer: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27)}"`
}

/** Whether an `If-Match` header names this tag; a weak tag never matches (RFC 9110, 13.1.1). */
export function ifMatchHolds(header: string, etag: string): boolean {
  return tags(header).some((tag) => tag === '*' || tag === etag)
}

/** Whether an `If-None-Match` header names this tag, weak or strong (RFC 9110, 13.1.2). */
export function ifNoneMatchHits(header: string, etag: string): boolean {
  return tags(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
}

/** Whether a header holds entity tags in the form that they have: in quotes, or `*` alone (RFC 9110, 8.8.3). */
export function areEntityTags(header: string): boolean {
  return tags(header).every((tag) => tag === '*' || /^(?:W\/)?"[^"]*"$/.test(tag))
}

function tags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim())
}
