import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { asciiEmail, type MailAddress } from '#correspondence/address-schema.ts'
import type { ComposeMail, MailToCompose } from '#correspondence/sending-ports.ts'
import { Failure } from '#kernel/failure.ts'
import { oneLine } from './one-line.ts'

/**
 * Composes a mail with nodemailer's MailComposer (M4):
 *
 * - Text and HTML are alternatives. Lines end with CR LF. Long lines are encoded, so that none has over 998 octets.
 * - Each `data:` picture of the HTML becomes an inline attachment, to which the HTML refers by `cid:`. A repeated
 *   picture is attached once.
 * - Attachments keep their bytes. Their names are encoded as in RFC 2231.
 * - Names and subject are encoded as in RFC 2047, domains in Punycode. Line breaks in them become spaces.
 * - The message has no Bcc header.
 *
 * nodemailer reads no files and fetches no URLs. Attachments are encoded in chunks, so that memory holds little more
 * than the attachments and the message. nodemailer is loaded at the first call.
 *
 * @throws Failure ATTACHMENT_TOO_LARGE if the message is larger than SES accepts
 */
export const composeMail: ComposeMail = async (mail) => {
  const [{ default: MailComposer }, { encodeWord }] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/mime-funcs'),
  ])
  const from = headerAddress(mail.from)
  const { html, pictures } = withInlinePictures(mail.html, from.address)
  const subject = oneLine(mail.subject)
  const composer = new MailComposer({
    disableFileAccess: true,
    disableUrlAccess: true,
    from,
    to: mail.to.map(headerAddress),
    cc: mail.cc.map(headerAddress),
    date: mail.date,
    messageId: mail.message_id,
    ...threadOf(mail),
    headers: {
      // nodemailer does not encode text that looks like an encoded word, and does not break long words.
      subject: {
        prepared: true,
        foldLines: true,
        value:
          subject === '' || isPlain(subject)
            ? subject
            : encodeWord(subject, encodingOf(subject), maxEncodedWord),
      },
    },
    text: withCrLf(mail.text),
    html: withCrLf(html),
    attachments: [
      ...pictures.map(({ cid, type, bytes }, index) => ({
        filename: `bild-${index + 1}.${type === 'jpeg' ? 'jpg' : type}`,
        contentType: `image/${type}`,
        contentDisposition: 'inline',
        cid,
        content: inChunks(bytes),
      })),
      ...mail.attachments.map(({ filename, mime_type, bytes }) => ({
        filename: oneLine(filename).replace(/\s+/g, ' ') || 'Unbenannt.bin',
        contentType: attachmentType(mime_type),
        contentDisposition: 'attachment',
        content: inChunks(bytes),
      })),
    ],
  })
  const raw = await composer.compile().build()
  if (raw.length > maxMessageBytes) throw tooLarge()
  return raw
}

/** SES: "Message length is more than 10485760 bytes long". */
const maxMessageBytes = 10 * 1024 * 1024

/** The maximum length of an encoded word, including its charset. RFC 2047 allows 75. */
const maxEncodedWord = 52

/**
 * The number of bytes of an attachment that are encoded in one operation. A line of 57 bytes has 76 characters in
 * base64.
 */
const chunkBytes = 57 * 1024

function headerAddress({ name, email }: MailAddress): { name: string; address: string } {
  // nodemailer writes an ASCII name as a quoted string. Some mail programs decode encoded words even inside it.
  const shown = oneLine(name ?? '')
    .replace(/\s+/g, ' ')
    .replaceAll('=?', '= ?')
  const address = asciiEmail(email)
  // The schemas already refuse every address that does not match.
  if (!/^[\w!#$%&'*+/=?^`{|}~.-]+@[a-z0-9.-]+$/i.test(address)) throw new Error('This is not a mail address.')
  return { name: shown, address }
}

/** The header fields that put the mail into a thread. Malformed ids of other programs are left out. */
function threadOf({ in_reply_to, references }: MailToCompose): { inReplyTo?: string; references?: string[] } {
  const known = references.filter(isMessageId)
  return {
    ...(in_reply_to !== null && isMessageId(in_reply_to) && { inReplyTo: in_reply_to }),
    ...(known.length > 0 && { references: known }),
  }
}

function isMessageId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(id)
}

/** Whether a subject needs no encoding: printable ASCII, with single spaces only. Long lines are folded at them. */
function isPlain(subject: string): boolean {
  return /^[!-~]{1,60}( [!-~]{1,60})*$/.test(subject) && !subject.includes('=?')
}

/** The shorter encoding: quoted-printable if most letters are ASCII, otherwise base64. */
function encodingOf(subject: string): 'Q' | 'B' {
  const ascii = subject.replace(/[^A-Za-z0-9 ]/g, '').length
  return ascii * 2 > subject.length ? 'Q' : 'B'
}

/** The text with CR LF at the end of each line. Programs disagree on whether a single CR or LF ends a line. */
function withCrLf(text: string): string {
  // nodemailer leaves out an empty part.
  return text.replace(/\r\n?|\n/g, '\r\n') || '\r\n'
}

/** The media type of an attachment. `multipart` and `message` types cannot be sent in base64. */
function attachmentType(mimeType: string): string {
  const isType = /^[a-z0-9][\w.+-]{0,126}\/[a-z0-9][\w.+-]{0,126}$/i.test(mimeType)
  return isType && !/^(multipart|message)\//i.test(mimeType) ? mimeType : 'application/octet-stream'
}

type Picture = { cid: string; type: string; bytes: Uint8Array }

/**
 * Replaces the `data:` pictures in clean HTML by `cid:` addresses, and returns the pictures. In clean HTML no attribute
 * value contains angle brackets or quotes. A picture that occurs several times is attached once, because its Content-ID
 * is made from its digest.
 */
function withInlinePictures(html: string, from: string): { html: string; pictures: Picture[] } {
  const pictures = new Map<string, Picture>()
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const attached = html.replace(/<img [^<>]*>/g, (tag) =>
    tag.replace(dataSource, (_, type: string, data: string) => {
      const bytes = Buffer.from(data, 'base64')
      const digest = createHash('sha256').update(type).update(bytes).digest('hex')
      const cid = `${digest.slice(0, 32)}@${domain}`
      pictures.set(cid, { cid, type, bytes })
      return ` src="cid:${cid}"`
    }),
  )
  return { html: attached, pictures: [...pictures.values()] }
}

const dataSource = / src="data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})"/

function tooLarge(): Failure {
  return new Failure(
    'too_large',
    'ATTACHMENT_TOO_LARGE',
    'The encoded mail is larger than 10 MiB. Attach less, or send links.',
  )
}

function inChunks(bytes: Uint8Array): Readable {
  return Readable.from(chunks(bytes), { objectMode: false })
}

function* chunks(bytes: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes)
}
