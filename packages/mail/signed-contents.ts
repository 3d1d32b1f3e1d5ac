import { FormatFault } from '#formats/format-fault.ts'
import { isEncryptedCms, readOpaqueCms } from '#formats/opaque-cms.ts'
import { bytesOf, headerFields, type MimePart, mimeParts, typeOf } from './mime-parts.ts'

/** The limits for all opened contents of a message together. Contents beyond them stay in their files. */
export type ContentLimits = { bytes: number; lines: number; boundaries: number }

/** The deepest nesting of signed contents in signed contents. */
const maxLevels = 10

/**
 * Opens the opaque S/MIME signatures of a message (RFC 8551, 3.5.2). Each becomes `multipart/signed`: first the message
 * that the file encloses, then the file (`smime.p7m`) in place of a detached signature. So its parts are read like the
 * parts of a message with a detached signature. Nothing is verified, and no header field of the enclosed message
 * replaces one of the outer message.
 *
 * A file stays as it is if it is damaged, encrypted or compressed, or if it encloses something other than a MIME part.
 *
 * @returns the same bytes if there is nothing to open
 */
export function withSignedContents(raw: Uint8Array, limits: ContentLimits): Uint8Array {
  const sent = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const message = opened(sent, { ...limits }, 1)
  return message === sent ? raw : message
}

function opened(raw: Buffer, left: ContentLimits, level: number): Buffer {
  if (level > maxLevels) return raw
  let at = 0
  const pieces: Uint8Array[] = []
  for (const part of mimeParts(raw)) {
    const content = isSmime(part) ? contentOf(bytesOf(raw, part), left) : undefined
    if (content === undefined) continue
    const boundary = `=_${crypto.randomUUID()}`
    pieces.push(
      raw.subarray(at, part.headerStart),
      // postal-mime reads the first field of a name.
      Buffer.from(`Content-Type: multipart/signed; boundary="${boundary}"\r\n`),
      Buffer.from('Content-Transfer-Encoding: binary\r\n'),
      raw.subarray(part.headerStart, part.bodyStart),
      Buffer.from(`--${boundary}\r\n`),
      opened(content, left, level + 1),
      Buffer.from(`\r\n--${boundary}\r\n${headerOf(part)}\r\n`, 'latin1'),
      raw.subarray(part.bodyStart, part.bodyEnd),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    )
    at = part.bodyEnd
  }
  return pieces.length === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)])
}

function isSmime(part: MimePart): boolean {
  const { fields, container, isFirst } = part
  if (container === 'multipart/signed' && !isFirst) return false
  const named = `${fields.get('content-type')};${fields.get('content-disposition')};`
  return (
    /^application\/(x-)?pkcs7-mime$/.test(typeOf(part)) ||
    (typeOf(part) === 'application/octet-stream' && /\.p7m"?\s{0,20};/i.test(named))
  )
}

/**
 * Whether a part is an encrypted message, by S/MIME or PGP (RFC 8551, 3.3; RFC 3156, 4). A mailing list may have added
 * a footer after it. A file with a name of its own, such as `Vertrag.pdf.p7m`, or after a text is only an attachment.
 */
export function isEncrypted(raw: Buffer, part: MimePart): boolean {
  const { fields, container, isFirst, bodyStart, bodyEnd } = part
  if (container === 'multipart/encrypted') return true
  const named = `${fields.get('content-type')};${fields.get('content-disposition')}`
  if (!isFirst || !isSmime(part) || (/name[*\d]{0,5}\s{0,20}=/i.test(named) && !/smime\.p7m/i.test(named)))
    return false
  return isEncryptedCms(bytesOf(raw, { ...part, bodyEnd: Math.min(bodyEnd, bodyStart + beginningBytes) }))
}

/** Enough for the first bytes of a file, with the transfer encoding. */
const beginningBytes = 200

/** The MIME part that a file encloses; undefined if there is none, or if it is beyond the limits. */
function contentOf(bytes: Uint8Array, left: ContentLimits): Buffer | undefined {
  const content = contentOfCms(bytes)
  if (content === undefined || !isMimePart(content)) return undefined
  const used = {
    bytes: content.length,
    lines: countOf(content, '\n', left.lines),
    boundaries: countOf(content, '\n--', left.boundaries),
  }
  if (used.bytes >= left.bytes || used.lines >= left.lines || used.boundaries >= left.boundaries)
    return undefined
  left.bytes -= used.bytes
  left.lines -= used.lines
  left.boundaries -= used.boundaries
  return content
}

function contentOfCms(bytes: Uint8Array): Buffer | undefined {
  try {
    return readOpaqueCms(bytes)
  } catch (error) {
    if (error instanceof FormatFault) return undefined
    throw error
  }
}

const maxHeaderBytes = 16 * 1024

/** Whether bytes begin with a header that has a `Content-Type`. A signed document, such as a PDF, does not. */
function isMimePart(content: Buffer): boolean {
  const beginning = content.toString('latin1', 0, maxHeaderBytes)
  if (!/^[!-9;-~]{1,80}:/.test(beginning)) return false
  const [header = ''] = beginning.split(/\r?\n\r?\n/, 1)
  return headerFields(header).some(([name]) => name === 'content-type')
}

/** The header fields of a part that describe its content. The other fields stay in the header of the outer part. */
function headerOf({ fields }: MimePart): string {
  return ['content-type', 'content-transfer-encoding', 'content-disposition']
    .flatMap((name) => {
      const value = fields.get(name)
      return value === undefined ? [] : [`${name}: ${value}\r\n`]
    })
    .join('')
}

/** The number of times that `text` occurs, but at most `max`. */
export function countOf(raw: Uint8Array, text: string, max: number): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  let count = 0
  for (let at = bytes.indexOf(text); at !== -1 && count < max; at = bytes.indexOf(text, at + 1)) count += 1
  return count
}
