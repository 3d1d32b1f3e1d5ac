import { isUtf8 } from 'node:buffer'
import type { Email, PostalMimeOptions } from 'postal-mime'
import { FormatFault } from '#formats/format-fault.ts'
import { attempted } from '#kernel/attempted.ts'
import { cleanVisibleText } from './mail-html.ts'
import { textOf } from './mail-text.ts'
import { boundaryOf, bytesOf, headerEndOf, type MimePart, mimeParts, typeOf } from './mime-parts.ts'

/**
 * Parses a message as its sender meant it. postal-mime trusts the stated charset of a part and reads header fields as
 * UTF-8. It changes line breaks, and copies large attachments several times in memory. Therefore:
 *
 * - A header that is not UTF-8 is read as Windows-1252. This is also true for the header of a part.
 * - A body that states UTF-8, ASCII or no charset, but is not UTF-8, is read as Windows-1252. A body that states an
 *   unknown charset, but is UTF-8, is read as UTF-8.
 * - In a `format=flowed` body, a line is never joined with a quote or a signature.
 * - A text or HTML file with a name after the first body is an attachment, even if it is `inline` or has no
 *   disposition.
 * - A multipart without a boundary parameter, or whose boundary never occurs, is read as text, or as HTML if it begins
 *   like HTML. So is text without a file name and with an invalid type, as `text/plain charset=utf-8` (RFC 2045, 5.2).
 *   A part with an invalid type of a file, as `text/calendar charset=utf-8`, stays an attachment.
 * - If the text part is empty, or only says that the mail is in HTML, the text is made from the HTML.
 * - Attachments keep the bytes that were sent. postal-mime gets only the beginning of large attachments.
 * - postal-mime also gets only the beginning of a body with very many lines, because each line takes about two
 *   kilobytes of its memory.
 *
 * @returns `is_cut`: whether only the beginning of a body was read. `source`: the message as given, and its parts
 * @throws FormatFault `too_large` if the limits of postal-mime or of its memory are exceeded
 */
export async function readBodies(
  raw: Uint8Array,
  options: PostalMimeOptions,
): Promise<{ email: Email; text: string; html: string | null; is_cut: boolean; source: MimeSource }> {
  const sent = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const sentParts = mimeParts(sent)
  const readable = withReadableHeaders(sent, sentParts)
  const readableParts = readable === sent ? sentParts : mimeParts(readable)
  const message = withFixedQuoteLines(readable, readableParts)
  const parts = message === readable ? readableParts : mimeParts(message)
  const email = await readExactly(message, parts, options)
  if (hasReplacement(email.text) || hasReplacement(email.html)) {
    const { text, html } = await parse(rewritten(message, parts, { charsets: 'corrected' }), options)
    if (hasReplacement(email.text) && text !== undefined) email.text = text
    if (hasReplacement(email.html) && html !== undefined) email.html = html
  }
  const html = email.html ?? null
  const text = email.text ?? ''
  const is_cut = parts.some((part) => isBody(part) && parsedEnd(message, part) < part.bodyEnd)
  return {
    email,
    html,
    is_cut,
    source: { bytes: sent, parts: sentParts },
    text: html !== null && isOnlyNotice(text) ? await textInstead(html, text) : text,
  }
}

/** A message and the parts in it. */
export type MimeSource = { bytes: Buffer; parts: MimePart[] }

/** The maximum number of characters of a notice. */
const maxNotice = 500

/** Whether a text part is empty or only says that the mail is in HTML: `Ihr E-Mail-Programm unterstützt kein HTML.` */
function isOnlyNotice(text: string): boolean {
  const written = text.trim()
  return written === '' || (written.length <= maxNotice && /(?<![\p{L}.])HTML(?!\p{L})/iu.test(written))
}

/** The text of the HTML if it says more than the notice. */
async function textInstead(html: string, notice: string): Promise<string> {
  const text = await textOfHtml(html)
  return text.length > notice.trim().length ? text : notice
}

/**
 * Parses a message. If its parts match the attachments one to one, the attachments get the bytes that were sent.
 * Otherwise everything comes from postal-mime.
 */
async function readExactly(raw: Buffer, parts: MimePart[], options: PostalMimeOptions): Promise<Email> {
  const attached = parts.filter((part) => !isBody(part))
  const email = await parse(rewritten(raw, parts, { charsets: 'as stated' }), options)
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

/** The number of bytes of a large attachment that postal-mime gets. */
const parsedBytes = 1_024

function isLarge(part: MimePart): boolean {
  return !isBody(part) && part.bodyEnd - part.bodyStart > largeBytes
}

/** The maximum number of lines of a body that postal-mime gets. The API shows fewer. */
const bodyLines = 50_000

/**
 * A message with `parsedLines` lines, or a header with `headerLines`, is refused. Lines that `rewritten` has removed do
 * not count.
 */
const parsedLines = 200_000
const headerLines = 10_000

/** The offset up to which postal-mime gets the body of a part. */
function parsedEnd(raw: Buffer, part: MimePart): number {
  const { bodyStart, bodyEnd } = part
  if (!isBody(part)) return isLarge(part) ? bodyStart + parsedBytes : bodyEnd
  return offsetOfLine(raw.subarray(0, bodyEnd), bodyStart, bodyLines) ?? bodyEnd
}

/** The offset at which line `number` after `start` begins; undefined if there are fewer lines. */
function offsetOfLine(raw: Buffer, start: number, number: number): number | undefined {
  if (raw.length - start < number) return undefined
  let at = start
  for (let line = 0; line < number; line += 1) {
    at = raw.indexOf(10, at) + 1
    if (at === 0) return undefined
  }
  return at
}

/** Refuses a message for which postal-mime would need too much memory. @throws FormatFault `too_large` */
export function requireFewLines(raw: Buffer): void {
  if (offsetOfLine(raw, 0, parsedLines) !== undefined)
    throw new FormatFault('too_large', 'The message has too many lines.')
  const header = raw.subarray(0, headerEndOf(raw)?.headerEnd)
  if (offsetOfLine(header, 0, headerLines) !== undefined)
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
 * Whether the text contains the replacement character (U+FFFD). A decoder writes it for a byte that the charset does
 * not have. The sender may also have typed it.
 */
function hasReplacement(text: string | undefined): boolean {
  return text?.includes('\ufffd') ?? false
}

/**
 * The message with three changes: all its headers, and the headers of its parts, are in UTF-8. Text files with a name
 * are attachments. Each multipart without a boundary is text or HTML. The contents and the order of the parts stay.
 */
function withReadableHeaders(raw: Buffer, parts: MimePart[]): Buffer {
  const firstBody = parts.findIndex(isBody)
  const ofParts = parts.map((part, at) => ({
    start: part.headerStart,
    end: part.bodyStart,
    added:
      isWithoutBoundary(part) || isTextWithoutType(raw, part)
        ? asText(raw, part)
        : at > firstBody && isInlineFile(part)
          ? asAttachment(part)
          : '',
  }))
  let at = 0
  const pieces: Uint8Array[] = []
  // If the message has only one part, the message and the part have the same header.
  const ofMessage =
    parts[0]?.headerStart === 0
      ? []
      : [{ start: 0, end: headerEndOf(raw)?.headerEnd ?? raw.length, added: '' }]
  for (const { start, end, added } of [...ofMessage, ...ofParts]) {
    const header = raw.subarray(start, end)
    if (start < at || (added === '' && isUtf8(header))) continue
    pieces.push(raw.subarray(at, start), inUtf8(Buffer.concat([Buffer.from(added, 'latin1'), header])))
    at = end
  }
  return pieces.length === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)])
}

function inUtf8(header: Buffer): Buffer {
  return isUtf8(header) ? header : Buffer.from(new TextDecoder('windows-1252').decode(header))
}

/** Whether a part is declared as a multipart, but has no usable boundary. postal-mime drops the body of such a part. */
function isWithoutBoundary(part: MimePart): boolean {
  const type = part.fields.get('content-type') ?? ''
  return (
    typeOf(part).startsWith('multipart/') && (boundaryOf(type) !== undefined || !namesBoundary.test(type))
  )
}

/** A boundary parameter. It may be continued (`boundary*0`, RFC 2231, 3), which only postal-mime reads. */
const namesBoundary = /;\s{0,99}boundary[*\d]{0,5}\s{0,5}=\s{0,5}"?[^\s";]/i

/** Whether a part is text without a file name whose type is invalid. Scripts forget the semicolon after a type. */
function isTextWithoutType(raw: Buffer, part: MimePart): boolean {
  if (!invalidTextType.test(typeOf(part)) || !isInline(part) || isNamed(part)) return false
  const body = beginningOf(raw, part)
  return !body.includes('\0') && !body.startsWith('%PDF')
}

/** No type at all, or `text/plain` or `text/html` with more behind it than a comment. Other invalid types are files. */
const invalidTextType =
  /^(?!text\/(?:plain|html)(?:\s{0,9}\(.*)?$)(?:[^/]*|text\s{0,9}\/\s{0,9}(?:plain|html)(?![\w.+-]).*)$/

/** A `Content-Type` field to put before the fields of a part (see `asAttachment`). */
function asText(raw: Buffer, part: MimePart): string {
  const [, ...parameters] = (part.fields.get('content-type') ?? '').split(';')
  const body = withoutStyles(beginningOf(raw, part))
  const isHtml = typeOf(part).startsWith('text/html') || startOfHtml.test(body)
  const type = isHtml ? 'text/html' : 'text/plain'
  return `Content-Type: ${[type, ...parameters].join(';')}\r\n`
}

function beginningOf(raw: Buffer, part: MimePart): string {
  return Buffer.from(bytesOf(raw, part)).toString('latin1', 0, beginningBytes)
}

/** Bytes of a body in which its first tag must stand. Comments may be long. */
const beginningBytes = 20_000

/** The first tag of an HTML document or of the HTML of mail programs, maybe after a byte order mark or `<?xml …?>`. */
const startOfHtml =
  /^(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^<>]*>\s*)?<(?:!doctype\s+html|html|head|meta|body|div|p|table)\b[^<>]*>/i

/**
 * Whether a part is a text or HTML file with a name that is `inline` or has no disposition. A part of
 * `multipart/alternative` is a version of the text, and the first part of `multipart/related` is the HTML with the
 * pictures: neither is a file.
 */
function isInlineFile(part: MimePart): boolean {
  const { container, isFirst } = part
  if (!isBody(part) || container === 'multipart/alternative') return false
  if (container === 'multipart/related' && isFirst) return false
  return isInline(part) && isNamed(part)
}

function isInline({ fields }: MimePart): boolean {
  return /^(?:inline)?\s*(?:;|$)/i.test(fields.get('content-disposition') ?? '')
}

function isNamed({ fields }: MimePart): boolean {
  const [, ...parameters] = (fields.get('content-disposition') ?? '').split(';')
  return fileName.test(`;${[...parameters, fields.get('content-type') ?? ''].join(';')}`)
}

/** The beginning of a parameter that names a file (RFC 2183, RFC 2231). */
const fileName = /;\s{0,20}(?:file)?name[*\d]{0,5}\s{0,20}=\s{0,20}"?[^"\s;]/i

/** A `Content-Disposition` field to put before the fields of a part. postal-mime reads the first field of a name. */
function asAttachment({ fields }: MimePart): string {
  const [, ...parameters] = (fields.get('content-disposition') ?? '').split(';')
  return `Content-Disposition: ${['attachment', ...parameters].join(';')}\r\n`
}

/** Longer `format=flowed` bodies are not corrected. The API shows less of a body. */
const flowedBytes = 4 * 1024 * 1024

/**
 * The message with corrected `format=flowed` bodies: quoted lines, and lines before a quote or a signature, do not end
 * with a space. postal-mime joins every line that ends with a space with the next one. RFC 3676 (4.3, 4.5) forbids this
 * for quotes and signatures, because then a quote or a signature looks like the text of the sender, or the reverse.
 */
function withFixedQuoteLines(raw: Buffer, parts: MimePart[]): Buffer {
  let at = 0
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const { headerStart, bodyStart, bodyEnd, fields } = part
    const isFlowed = /;\s{0,20}format\s{0,20}=\s{0,20}"?flowed/i.test(fields.get('content-type') ?? '')
    if (!isBody(part) || !isFlowed || bodyEnd - bodyStart > flowedBytes) continue
    const written = Buffer.from(bytesOf(raw, part)).toString('latin1')
    const fixed = withFixedLines(written)
    if (fixed === written) continue
    const encoded = Buffer.from(fixed, 'latin1').toString('base64').replace(/.{76}/g, '$&\r\n')
    pieces.push(
      raw.subarray(at, headerStart),
      Buffer.from('Content-Transfer-Encoding: base64\r\n'),
      raw.subarray(headerStart, bodyStart),
      Buffer.from(encoded),
    )
    at = bodyEnd
  }
  return pieces.length === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)])
}

/** A text in which lines that must not be joined with the next one end without spaces ("fixed lines", RFC 3676). */
function withFixedLines(text: string): string {
  const lines = text.split('\n')
  const isMark = (line: string) => /^-- \r?$/.test(line)
  return lines
    .map((line, at) => {
      const next = lines[at + 1] ?? ''
      const isFixed = line.startsWith('>') || next.startsWith('>') || isMark(next)
      if (!isFixed || isMark(line)) return line
      const lineEnd = line.endsWith('\r') ? '\r' : ''
      let end = line.length - lineEnd.length
      while (line[end - 1] === ' ') end -= 1
      return line.slice(0, end) + lineEnd
    })
    .join('\n')
}

/** Whether a part belongs to the body and is not an attachment, by the same rule as in postal-mime. */
function isBody(part: MimePart): boolean {
  const isText = /^text\/(plain|html)$/.test(typeOf(part))
  return isText && !/^attachment\b/i.test(part.fields.get('content-disposition') ?? '')
}

/**
 * The message with only the beginnings of large attachments and very long bodies. With `corrected`, a body that states
 * UTF-8, ASCII or no charset, but is not UTF-8, gets the charset Windows-1252.
 */
function rewritten(
  raw: Buffer,
  parts: MimePart[],
  { charsets }: { charsets: 'as stated' | 'corrected' },
): Buffer {
  let at = 0
  const pieces: Uint8Array[] = []
  for (const part of parts) {
    const { headerStart, bodyEnd } = part
    const corrected = correctedCharset(raw, part, charsets)
    if (corrected !== undefined) {
      pieces.push(raw.subarray(at, headerStart), Buffer.from(inCharset(part, corrected), 'latin1'))
      at = headerStart
    }
    const end = parsedEnd(raw, part)
    if (end < bodyEnd) {
      pieces.push(raw.subarray(at, end))
      at = bodyEnd
    }
  }
  return pieces.length === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)])
}

/** The charset in which a body must be read instead of the stated one; undefined if the stated one is right. */
function correctedCharset(
  raw: Buffer,
  part: MimePart,
  charsets: 'as stated' | 'corrected',
): 'utf-8' | 'windows-1252' | undefined {
  if (!isBody(part)) return undefined
  const stated = statedCharset(part)
  if (!isKnown(stated)) return isUtf8(bytesOf(raw, part)) ? 'utf-8' : undefined
  const mayBeUtf8 = /^(?:utf-?8|us-ascii|ascii)?$/i.test(stated)
  return charsets === 'corrected' && mayBeUtf8 && !isUtf8(bytesOf(raw, part)) ? 'windows-1252' : undefined
}

function statedCharset({ fields }: MimePart): string {
  const type = fields.get('content-type') ?? ''
  return /;\s{0,20}charset\s{0,20}=\s{0,20}"?\s{0,20}([^";\s]{0,100})/i.exec(type)?.[1] ?? ''
}

/** Whether a charset can be decoded. postal-mime reads others, such as `unknown-8bit` (RFC 1428), as Windows-1252. */
function isKnown(charset: string): boolean {
  return attempted(() => charset === '' || new TextDecoder(charset) !== undefined) ?? false
}

/**
 * A `Content-Type` field to put before the fields of a part. postal-mime reads the first field of a name, and in it the
 * first parameter of a name.
 */
function inCharset(part: MimePart, charset: string): string {
  const [, ...parameters] = (part.fields.get('content-type') ?? '').split(';')
  return `Content-Type: ${[typeOf(part), ` charset=${charset}`, ...parameters].join(';')}\r\n`
}

/** The maximum number of HTML characters from which text is extracted. */
const maxHtml = 512 * 1024

/**
 * The visible text of the first 512 Ki characters of HTML. Alternative texts and hidden text are left out, because text
 * that nobody sees must not decide where a message is filed (I5). If the HTML is too complicated to clean, the result
 * is all text between its tags.
 */
export async function textOfHtml(html: string): Promise<string> {
  const displayed = withoutStyles(html).slice(0, maxHtml)
  try {
    return await textOf(await cleanVisibleText(displayed, 'html'))
  } catch {
    return displayed.replace(/<[^<>]{0,2000}>/g, ' ').replace(/[^\S\n]{2,}/g, ' ')
  }
}

/** HTML without style sheets, scripts and comments. They can be longer than everything else. */
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
