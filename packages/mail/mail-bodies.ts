import { isUtf8 } from 'node:buffer'
import type { Email, PostalMimeOptions } from 'postal-mime'
import { FormatFault } from '#formats/format-fault.ts'
import { cleanVisibleText } from './mail-html.ts'
import { textOf } from './mail-text.ts'
import { bytesOf, type MimePart, mimeParts, typeOf } from './mime-parts.ts'

/**
 * Parses a message as its sender meant it. postal-mime trusts the charset that a part states and reads header fields as
 * UTF-8. It rewrites line breaks, and holds large attachments in memory several times. Therefore:
 *
 * - A header that is not UTF-8 is read as Windows-1252.
 * - A body that states UTF-8 but is not UTF-8 is read as Windows-1252.
 * - Attachments keep the bytes that were sent. postal-mime gets only the beginning of large attachments.
 * - Of bodies with more lines than anybody reads, postal-mime also gets only the beginning, because each line takes
 *   about two kilobytes of its memory.
 *
 * @returns `is_cut`: a body continues beyond what was read
 * @throws FormatFault `too_large` if the limits of postal-mime or of its memory are exceeded
 */
export async function readBodies(
  raw: Uint8Array,
  options: PostalMimeOptions,
): Promise<{ email: Email; text: string; html: string | null; is_cut: boolean }> {
  const message = withReadableHeader(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength))
  const parts = mimeParts(message)
  const email = await readExactly(message, parts, options)
  if (hasUnknown(email.text) || hasUnknown(email.html)) {
    const { text, html } = await parse(rewritten(message, parts, 'doubted'), options)
    if (hasUnknown(email.text) && text !== undefined) email.text = text
    if (hasUnknown(email.html) && html !== undefined) email.html = html
  }
  const html = email.html ?? null
  const text = email.text ?? ''
  const is_cut = parts.some((part) => isBody(part) && readEnd(message, part) < part.bodyEnd)
  return { email, html, is_cut, text: text.trim() === '' && html !== null ? await textOfHtml(html) : text }
}

/**
 * Parses a message. If its parts match the attachments one to one, the attachments get the bytes that were sent.
 * Otherwise everything comes from postal-mime.
 */
async function readExactly(raw: Buffer, parts: MimePart[], options: PostalMimeOptions): Promise<Email> {
  const attached = parts.filter((part) => !isBody(part))
  const email = await parse(rewritten(raw, parts, 'believed'), options)
  const isSame =
    attached.length === email.attachments.length &&
    attached.every((part, at) => typeOf(part) === email.attachments[at]?.mimeType)
  if (!isSame) return attached.some(isLarge) ? parse(raw, options) : email
  for (const [at, attachment] of email.attachments.entries()) {
    const part = attached[at]
    if (part !== undefined) attachment.content = bytesOf(raw, part)
  }
  return email
}

const largeBytes = 8 * 1024

/** Bytes of a large attachment that are parsed. */
const parsedBytes = 1_024

function isLarge(part: MimePart): boolean {
  return !isBody(part) && part.bodyEnd - part.bodyStart > largeBytes
}

/** Lines of a body that are parsed: more than are shown. */
const bodyLines = 50_000

/** Lines of a message that are parsed, and lines of its header. */
const parsedLines = 200_000
const headerLines = 10_000

/** The end of the parsed beginning of a part. */
function readEnd(raw: Buffer, part: MimePart): number {
  const { bodyStart, bodyEnd } = part
  if (!isBody(part)) return isLarge(part) ? bodyStart + parsedBytes : bodyEnd
  return Math.min(bodyEnd, placeOfLine(raw, bodyStart, bodyLines) ?? bodyEnd)
}

/** The beginning of the line with this number, counted from a place; undefined if there are fewer lines. */
function placeOfLine(raw: Buffer, start: number, number: number): number | undefined {
  if (raw.length - start < number) return undefined
  let at = start
  for (let line = 0; line < number; line += 1) {
    at = raw.indexOf(10, at) + 1
    if (at === 0) return undefined
  }
  return at
}

/** Refuses a message that would need too much memory in postal-mime. @throws FormatFault `too_large` */
export function requireFewLines(raw: Buffer): void {
  if (placeOfLine(raw, 0, parsedLines) !== undefined)
    throw new FormatFault('too_large', 'The message has too many lines.')
  const ends = [raw.indexOf('\r\n\r\n'), raw.indexOf('\n\n')].filter((at) => at !== -1)
  const header = raw.subarray(0, ends.length === 0 ? raw.length : Math.min(...ends))
  if (placeOfLine(header, 0, headerLines) !== undefined)
    throw new FormatFault('too_large', 'The header of the message has too many lines.')
}

async function parse(raw: Buffer, options: PostalMimeOptions): Promise<Email> {
  requireFewLines(raw)
  const { default: PostalMime } = await import('postal-mime')
  try {
    return await PostalMime.parse(raw, options)
  } catch (error) {
    if (error instanceof Error && /^Maximum /.test(error.message))
      throw new FormatFault('too_large', 'The header of the message, or its nesting, is too large.', {
        cause: error,
      })
    throw error
  }
}

/**
 * Whether the text has the replacement character, which decoding writes for bytes outside the charset. A sender may
 * write it, too.
 */
function hasUnknown(text: string | undefined): boolean {
  return text?.includes('\ufffd') ?? false
}

/** The message with a header in UTF-8. */
function withReadableHeader(raw: Buffer): Buffer {
  const ends = [raw.indexOf('\r\n\r\n'), raw.indexOf('\n\n')].filter((at) => at !== -1)
  const header = raw.subarray(0, ends.length === 0 ? raw.length : Math.min(...ends))
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(header)
    return raw
  } catch {
    const readable = new TextDecoder('windows-1252').decode(header)
    return Buffer.concat([Buffer.from(readable), raw.subarray(header.length)])
  }
}

/** Whether a part belongs to the body and is not an attachment, by the same rule as in postal-mime. */
function isBody(part: MimePart): boolean {
  const isText = /^text\/(plain|html)$/.test(typeOf(part))
  return isText && !/^attachment\b/i.test(part.fields.get('content-disposition') ?? '')
}

/**
 * The message with only the beginnings of large attachments and very long bodies. If `claims` are doubted, a part of
 * the body that states UTF-8 or ASCII but is not UTF-8 gets the charset Windows-1252.
 */
function rewritten(raw: Buffer, parts: MimePart[], claims: 'believed' | 'doubted'): Buffer {
  let at = 0
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const { headerStart, bodyStart, bodyEnd } = part
    if (isBody(part) && claims === 'doubted' && !isUtf8(bytesOf(raw, part))) {
      const header = raw
        .toString('latin1', headerStart, bodyStart)
        .replace(/charset=("?)(?:utf-?8|us-ascii|ascii)\b/gi, 'charset=$1windows-1252')
      pieces.push(raw.subarray(at, headerStart), Buffer.from(header, 'latin1'))
      at = bodyStart
    }
    const end = readEnd(raw, part)
    if (end < bodyEnd) {
      pieces.push(raw.subarray(at, end))
      at = bodyEnd
    }
  }
  return at === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)])
}

/** Characters of HTML that are read for its text. */
const maxHtml = 512 * 1024

/**
 * The visible text of HTML, at most half a mebibyte: no alternative texts and no hidden text, because text that nobody
 * sees must not file a message (I5). If the HTML is too complicated to clean, the text between its tags.
 */
export async function textOfHtml(html: string): Promise<string> {
  const displayed = withoutStyles(html).slice(0, maxHtml)
  try {
    return await textOf(await cleanVisibleText(displayed, 'html'))
  } catch {
    return displayed.replace(/<[^<>]{0,2000}>/g, ' ').replace(/[^\S\n]{2,}/g, ' ')
  }
}

/** Without style sheets and scripts, which can be longer than everything else. */
export function withoutStyles(html: string): string {
  const marks = /<style|<script|<!--/gi
  let [kept, at] = ['', 0]
  for (let mark = marks.exec(html); mark !== null; mark = marks.exec(html)) {
    kept += html.slice(at, mark.index)
    const isComment = mark[0] === '<!--'
    const ends = isComment
      ? /-->/g
      : mark[0].toLowerCase() === '<style'
        ? /<\/style\s*>/gi
        : /<\/script\s*>/gi
    ends.lastIndex = mark.index
    if (ends.exec(html) === null) return kept
    at = ends.lastIndex
    marks.lastIndex = at
  }
  return kept + html.slice(at)
}
