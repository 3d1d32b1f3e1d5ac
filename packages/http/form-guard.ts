import { randomUUID } from 'node:crypto'
import { type Failure, invalid } from '#kernel/failure.ts'
import { utf8OrWindows1252 } from './form-fields.ts'

/**
 * A checked form. Middy's parser can read `heads` safely. `parts` has the data of each part that the parser does not
 * keep.
 */
type GuardedForm = {
  /** A form with the same parts, but without their bytes. The heads are in UTF-8. */
  heads: Buffer
  contentType: string
  /** The charset in the head of each part, and the bytes of the part. */
  parts: { charset: string | undefined; bytes: Buffer }[]
}

/**
 * The maximum size of the head of a part. Usual heads have a few hundred bytes, and four thousand with a long name in two
 * encodings. The parser reads heads character by character, so a form that has only heads costs 0.2 s of CPU.
 */
const maxHeadBytes = 8 * 1024

const lineBreak = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')

/**
 * Splits a form, and checks that it is complete and that each part has a head. With other forms, which anybody can send,
 * the parser ends the process, never returns, or loses data (`test/http/form.test.ts` shows each case). The returned
 * heads are in UTF-8, and have no `filename` if they have `filename*`.
 *
 * @throws Failure 400
 */
export function guardForm(body: Buffer, contentType: string, maxParts: number): GuardedForm {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, 'latin1')
  const parts = partsBetween(body, delimiter, maxParts).map(split)
  // A random boundary that no head contains. A tidied head could contain the boundary of the form.
  const boundary = randomUUID()
  const between = Buffer.from(`\r\n--${boundary}`)
  return {
    heads: Buffer.concat([
      ...parts.flatMap(({ head }) => [between, lineBreak, tidied(head), headEnd]),
      between,
      Buffer.from('--\r\n'),
    ]).subarray(lineBreak.length),
    contentType: `multipart/form-data; boundary=${boundary}`,
    parts: parts.map(({ head, bytes }) => ({ charset: charsetOf(head.toString('latin1')), bytes })),
  }
}

/** One parameter of a content type (RFC 9110, 5.6.6). */
const parameter = /\s*;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy

/** The boundary: up to 200 printable characters. RFC 2046 allows only 70, and fewer kinds of characters. */
function boundaryOf(contentType: string): string {
  const type = /^[^\s;]+/.exec(contentType)?.[0] ?? ''
  for (const [, name, quoted, token] of contentType.slice(type.length).matchAll(parameter)) {
    const value = quoted ?? token ?? ''
    if (name?.toLowerCase() !== 'boundary') continue
    if (/^[\x20-\x7e]{0,199}[\x21-\x7e]$/.test(value) && !/["\\]/.test(value)) return value
    break
  }
  throw malformed('Its Content-Type names no boundary.')
}

/** The bytes between the delimiters. Each piece begins with the rest of the delimiter's line. */
function partsBetween(body: Buffer, delimiter: Buffer, maxParts: number): Buffer[] {
  const parts: Buffer[] = []
  // The form may begin with the first delimiter, without a line end before it.
  const beginsAtOnce = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  let start = beginsAtOnce ? delimiter.length - 2 : endOf(body.indexOf(delimiter), delimiter)
  while (start !== undefined) {
    if (body.subarray(start, start + 2).equals(dashes)) return parts
    if (parts.length === maxParts) throw malformed('It has too many parts.')
    const next = body.indexOf(delimiter, start)
    if (next === -1) break
    parts.push(body.subarray(start, next))
    start = next + delimiter.length
  }
  throw malformed('It ends before its last delimiter.')
}

const dashes = Buffer.from('--')

function endOf(at: number, delimiter: Buffer): number | undefined {
  return at === -1 ? undefined : at + delimiter.length
}

/** Splits a part into head and bytes. */
function split(part: Buffer): { head: Buffer; bytes: Buffer } {
  const start = part.indexOf(lineBreak)
  const padding = start === -1 ? undefined : part.toString('latin1', 0, Math.min(start, 100))
  if (padding === undefined || /[^ \t]/.test(padding))
    throw malformed('A delimiter is followed by other characters on its line.')
  const end = part.indexOf(headEnd, start)
  if (end === -1) throw malformed('A part has no head.')
  if (end - start > maxHeadBytes) throw malformed('The head of a part is too long.')
  const head = part.subarray(start + lineBreak.length, Math.max(end, start + lineBreak.length))
  return { head, bytes: part.subarray(end + headEnd.length) }
}

/**
 * The head in UTF-8. Browsers send it so; some scanners send Windows-1252. If a line has both `filename` and
 * `filename*`, the second is the name, and the first is for old clients (RFC 6266, 4.3). The first is replaced and not
 * removed, because the rest could be an empty line, which ends the head.
 */
function tidied(head: Buffer): Buffer {
  const text = utf8OrWindows1252(head)
  if (!/filename\*\s*=/i.test(text)) return Buffer.from(text)
  return Buffer.from(text.replace(/;\s*filename\s*=\s*("(?:[^"\\]|\\.)*"|"[^"]*"|[^\s;"]*)/gi, '; old=name'))
}

function charsetOf(head: string): string | undefined {
  return /^content-type:[^\r\n]*;\s*charset\s*=\s*"?([^\s;"]+)/im.exec(head)?.[1]
}

export function malformed(why: string): Failure {
  return invalid(`The body is not a complete multipart/form-data form: ${why}`, [
    { path: 'body', message: 'Send a complete form with its boundary in the Content-Type.' },
  ])
}
