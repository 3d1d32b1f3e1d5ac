import { type Address, addressParser, type Email, type Mailbox } from 'postal-mime'
import type { MailAddress } from '#correspondence/address-schema.ts'
import type { MessageHeader, ReceivedFile, SenderProof } from '#correspondence/reception-ports.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { readTnef, type Tnef } from '#formats/tnef.ts'
import { readXJustiz } from '#formats/xjustiz.ts'
import type { MessageFacts, XJustizFacts } from '#triage/facts-schema.ts'
import { hasClearSender } from './clear-sender.ts'
import { type MimeSource, readBodies, textOfHtml } from './mail-bodies.ts'
import { headerStartOf } from './mime-parts.ts'
import { oneLine } from './one-line.ts'
import { type SenderClaims, senderClaims } from './sender-claims.ts'
import { countOf, isEncrypted, withSignedContents } from './signed-contents.ts'

/** An attachment as it was sent. `is_related`: it belongs to the HTML. `content_id` has no angle brackets. */
export type ReadAttachment = ReceivedFile & { is_related: boolean }

/** A message as it was received. Message ids have angle brackets; dates are ISO 8601 in UTC. */
export type ReadMail = Omit<MessageHeader, keyof SenderProof | 'bodyStart'> & {
  /** Whether `from`, the first address in `From`, is the only sender that the header names. */
  has_clear_sender: boolean
  claims: SenderClaims
  headers: MessageFacts['headers']
  /**
   * The text part. If it is empty or only says that the mail is in HTML: the text of the HTML, with `> ` before quotes.
   */
  text: string
  /** The HTML as it was sent. It must be cleaned before it is shown. Null if there is none. */
  html: string | null
  /** Whether only the beginning of a body was read. */
  is_cut: boolean
  attachments: ReadAttachment[]
  xjustiz: XJustizFacts[]
  protection: MessageFacts['protection']
}

/** A message beyond these limits is stored but not read. `recipients` and `references` only shorten the lists. */
export const mailLimits = {
  headerBytes: 1024 * 1024,
  nestedParts: 50,
  /** Lines that look like the beginning of a part. Real messages have fewer. */
  boundaries: 20_000,
  /** A message of 40 MB in base64 has 540 000 lines. The parser gets fewer (`mail-bodies.ts`). */
  lines: 1_000_000,
  /** All opened S/MIME contents together. They also have the limits `lines` and `boundaries`. */
  signedBytes: 64 * 1024 * 1024,
  attachments: 1_000,
  recipients: 2_000,
  references: 100,
} as const

/**
 * Reads a raw message with postal-mime: its header, its bodies, and its attachments byte for byte.
 *
 * - An attached message (`message/rfc822`) stays an attachment. Neither attached messages nor archives are opened.
 * - Charsets, text files with a name, multiparts without a boundary and invalid types: see `readBodies`.
 * - An encrypted message is marked `encrypted`, and its parts stay attachments. Signatures are not verified. An
 *   encrypted message may be a part of a multipart, if a mailing list has added a footer.
 * - The parts inside an S/MIME signature (`smime.p7m`) are read like other parts. The file comes after them
 *   among the attachments.
 * - The files that Outlook packed into `winmail.dat` follow it among the attachments. Its text is used if there is no
 *   other text.
 * - A message may begin with a byte order mark or empty lines, or have only carriage returns, as some programs write it.
 * - A damaged XJustiz record, `winmail.dat` or `smime.p7m` is an attachment like any other.
 *
 * @throws FormatFault `too_large` beyond `mailLimits`. A malformed message is read as far as possible.
 */
export async function readMail(received: Uint8Array): Promise<ReadMail> {
  const raw = withPlainLines(received)
  if (countOf(raw, '\n--', mailLimits.boundaries) >= mailLimits.boundaries)
    throw new FormatFault('too_large', 'The message has too many parts.')
  if (countOf(raw, '\n', mailLimits.lines) >= mailLimits.lines)
    throw new FormatFault('too_large', 'The message has too many lines.')
  const { lines, boundaries, signedBytes } = mailLimits
  const message = withSignedContents(raw, { bytes: signedBytes, lines, boundaries })
  const { email, html, ...bodies } = await readBodies(message, {
    forceRfc822Attachments: true,
    maxNestingDepth: mailLimits.nestedParts,
    maxHeadersSize: mailLimits.headerBytes,
  })
  const sent = email.attachments.map(attachmentOf)
  const packed = sent.map(tnefOf)
  const attachments = sent.flatMap((attachment, at) => [
    attachment,
    ...(packed[at]?.attachments.map(unpacked) ?? []),
  ])
  if (attachments.length > mailLimits.attachments)
    throw new FormatFault('too_large', 'The message has too many attachments.')
  const text = bodies.text.trim() === '' ? await packedText(packed) : bodies.text
  const from = mailboxes(email.from === undefined ? [] : [email.from])[0] ?? firstAddressInFrom(email)
  const fields = new Map(email.headers.toReversed().map(({ key, value }) => [key, value]))
  return {
    message_id: messageIds(email.messageId)[0] ?? null,
    from,
    has_clear_sender: hasClearSender(email.headers),
    claims: senderClaims(email.headers, from),
    reply_to: mailboxes(email.replyTo),
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    subject: oneLine(email.subject ?? ''),
    date: dateOf(email.date),
    in_reply_to: messageIds(email.inReplyTo),
    references: messageIds(email.references),
    headers: {
      auto_submitted: fields.get('auto-submitted') ?? null,
      list_unsubscribe: fields.get('list-unsubscribe') ?? null,
      precedence: fields.get('precedence') ?? null,
    },
    text,
    html,
    is_cut: bodies.is_cut,
    attachments,
    xjustiz: attachments.flatMap(xjustizOf),
    protection: protectionOf(bodies.source, fields.get('content-type') ?? '', {
      text,
      hasSignature: message !== raw || attachments.some(isSignature),
    }),
  }
}

/** A message from its header on, and with line feeds for carriage returns if it has none. */
function withPlainLines(received: Uint8Array): Uint8Array {
  const bytes = Buffer.from(received.buffer, received.byteOffset, received.byteLength)
  const message = bytes.subarray(headerStartOf(bytes))
  if (message.includes('\n')) return message
  return Buffer.from(message.toString('latin1').replaceAll('\r', '\n'), 'latin1')
}

function attachmentOf(attachment: Email['attachments'][number]): ReadAttachment {
  const { filename, mimeType, contentId, related, content } = attachment
  return {
    filename: oneLine(filename ?? '') || defaultFilename(mimeType),
    mime_type: mimeType,
    content_id: contentId?.replace(/^<|>$/g, '') ?? null,
    is_related: related ?? false,
    bytes: bytesOfContent(content),
  }
}

function bytesOfContent(content: string | ArrayBuffer | Uint8Array): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? content : new Uint8Array(content)
}

function tnefOf({ filename, mime_type, bytes }: ReadAttachment): Tnef | undefined {
  if (!/^(application\/(vnd\.)?ms-tnef)$/.test(mime_type) && !/^winmail\.dat$/i.test(filename))
    return undefined
  try {
    return readTnef(bytes)
  } catch (error) {
    if (error instanceof FormatFault) return undefined
    throw error
  }
}

function unpacked({ filename, mime_type, bytes }: Tnef['attachments'][number]): ReadAttachment {
  const type = mime_type?.toLowerCase() ?? 'application/octet-stream'
  return {
    filename: oneLine(filename) || defaultFilename(type),
    mime_type: type,
    content_id: null,
    is_related: false,
    bytes,
  }
}

async function packedText(packed: (Tnef | undefined)[]): Promise<string> {
  const body = packed.find((it) => it?.text || it?.html)
  if (body?.text) return body.text
  return body?.html ? textOfHtml(body.html) : ''
}

const extensions: Record<string, string> = {
  'message/rfc822': 'eml',
  'text/calendar': 'ics',
  'text/plain': 'txt',
  'text/html': 'html',
  'application/pdf': 'pdf',
  'application/pkcs7-signature': 'p7s',
  'application/pkcs7-mime': 'p7m',
}

function defaultFilename(mimeType: string): string {
  return `Unbenannt.${extensions[mimeType] ?? 'bin'}`
}

function mailboxes(addresses: Address[] | undefined): MailAddress[] {
  const flat = (addresses ?? []).flatMap((address): Mailbox[] => address.group ?? [address as Mailbox])
  return flat
    .filter(({ address }) => address.includes('@'))
    .slice(0, mailLimits.recipients)
    .map(({ name, address }) => ({ name: oneLine(name) || null, email: oneLine(address) }))
}

/**
 * The first address in `From`, even if the first entry has none. Without quotes, `Müller, Kanzlei <a@b.example>` has
 * two entries, and only the second has an address.
 */
function firstAddressInFrom({ headers }: Email): MailAddress | null {
  const written = headers.find(({ key }) => key === 'from')?.value.slice(0, maxSenderCharacters) ?? ''
  return mailboxes(addressParser(written, { flatten: true }))[0] ?? null
}

const maxSenderCharacters = 4_000

/** The ids in angle brackets. A single id without brackets, as some programs write it, is also accepted. */
function messageIds(written: string | undefined): string[] {
  if (written === undefined) return []
  const ids = written.match(/<[^<>\s]{1,250}>/g) ?? []
  const bare = written.trim()
  const found = ids.length === 0 && /^[^\s<>]{1,250}@[^\s<>]{1,250}$/.test(bare) ? [`<${bare}>`] : ids
  return [...new Set(found)].slice(-mailLimits.references)
}

/** Some German programs write months that RFC 5322 does not know: `Fr, 4 Dez 2026 10:00:00 +0100`. */
const germanMonths: Record<string, string> = { Mär: 'Mar', März: 'Mar', Mai: 'May', Okt: 'Oct', Dez: 'Dec' }

function dateOf(date = ''): string | null {
  const time = Date.parse(
    date.replace(/\b(?:März?|Mai|Okt|Dez)(?!\p{L})/u, (month) => germanMonths[month] ?? month),
  )
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

function xjustizOf({ filename, bytes }: ReadAttachment): XJustizFacts[] {
  if (!/xjustiz.{0,60}\.xml$/i.test(filename)) return []
  try {
    const message = readXJustiz(bytes)
    return message === undefined ? [] : [message]
  } catch (error) {
    if (error instanceof FormatFault) return []
    throw error
  }
}

function isSignature({ mime_type }: ReadAttachment): boolean {
  return /pkcs7-signature|pgp-signature/.test(mime_type)
}

function protectionOf(
  { bytes, parts }: MimeSource,
  parsedType: string,
  { text, hasSignature }: { text: string; hasSignature: boolean },
): MessageFacts['protection'] {
  // If the message has no parts, `readBodies` may have put another `Content-Type` before the original one.
  const whole = parts.find(({ container }) => container === undefined)
  const type = (whole?.fields.get('content-type') ?? parsedType).toLowerCase()
  const start = text.trimStart().slice(0, 200)
  const isEnveloped = /^application\/(x-)?pkcs7-mime/.test(type) && !/signed-data|certs-only/.test(type)
  if (
    isEnveloped ||
    parts.some((part) => isEncrypted(bytes, part)) ||
    type.startsWith('multipart/encrypted') ||
    start.startsWith('-----BEGIN PGP MESSAGE-----')
  )
    return 'encrypted'
  const isSigned = /^(multipart\/signed|application\/(x-)?pkcs7-mime)/.test(type)
  return isSigned || hasSignature || start.startsWith('-----BEGIN PGP SIGNED MESSAGE-----')
    ? 'signed'
    : 'none'
}
