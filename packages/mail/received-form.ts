import type { MailForm, MailForms } from '#correspondence/reception-ports.ts'
import type { Verdicts } from '#correspondence/schema.ts'
import { beginningOf } from '#kernel/text.ts'
import { headerOf, type MailHeader } from './form-header.ts'
import { oneLine } from './one-line.ts'
import { addressesIn } from './recipients.ts'

/**
 * Reads the forms that Mailgun's routes post (I1; Mailgun's manual, "Routes"). A form has Mailgun's own fields and the
 * header fields of the message. The names of header fields are not case-sensitive: `to` and `To` are the same.
 * Mailgun's own fields are in lower case: `sender` is not the header field `Sender`.
 *
 * `message` returns `body-mime` if it was posted. Otherwise it composes a message:
 *
 * - Its header comes from `message-headers`. Main fields and DKIM signatures that are missing there come from the form.
 *   Other fields come from the form only if `message-headers` is missing. No value can inject another field. Fields
 *   about the MIME structure of the original are left out.
 * - Its bodies are `body-plain` and `body-html`.
 * - Every file becomes an attachment, byte for byte. The name of its field and `attachment-count` do not matter. A text
 *   in `attachment-N` becomes an attachment, too. Files in `content-id-map` are related to the HTML.
 * - Encrypted mail stays recognisable as such.
 *
 * All parts are in base64, in which no line begins like a boundary. So the boundaries can be constant, and the same
 * form always results in the same message.
 */
export const receivedForms: MailForms = {
  envelope(form) {
    const header = headerOf(form)
    return {
      recipients: ['recipient', 'to'].flatMap((name) => header.posted(name).flatMap(addressesIn)),
      hasSender: ['from', ...serviceFields].some((name) =>
        header.posted(name).some((value) => value.trim() !== ''),
      ),
      checks: {
        verdicts: verdictsOf(header),
        // Mailgun's own field. `Sender` is a header field of the message.
        envelope_from: typeof form.fields.sender === 'string' ? form.fields.sender : null,
        authserv_id: null,
      },
    }
  },

  async message(form) {
    const header = headerOf(form)
    if (header.whole !== undefined) return header.whole
    const lines = [...header.lines(), 'MIME-Version: 1.0', ...contentOf(form, header), '']
    return Buffer.from(lines.join('\r\n'))
  },
}

/**
 * The fields that Mailgun adds to every message, and the field of a whole message. A form with one of them is a mail,
 * even without `From`, and is accepted. If it were refused, the mail would be lost without the sender knowing.
 */
const serviceFields = ['sender', 'message-headers', 'body-mime']

/** The results of Mailgun's spam filter. If the sender may have forged them, only unfavourable results count. */
function verdictsOf({ original, posted, isDoubtful }: MailHeader): Verdicts {
  const valuesOf = (name: string) => {
    const written = original(name)
    const values = [...written, ...posted(name).filter((value) => !written.includes(value))]
    return values.map((value) => value.trim().toLowerCase())
  }
  const verdictOf = (name: string): Verdicts['spf'] => {
    const values = valuesOf(name)
    if (values.includes('fail')) return 'fail'
    const [only] = values
    if (values.length === 1 && only === 'pass') return isDoubtful ? 'unknown' : 'pass'
    return only === undefined ? 'unknown' : 'gray'
  }
  return {
    spam: valuesOf('x-mailgun-sflag').some((value) => value.startsWith('yes')) ? 'fail' : 'unknown',
    virus: 'unknown',
    spf: verdictOf('x-mailgun-spf'),
    dkim: verdictOf('x-mailgun-dkim-check-result'),
    dmarc: 'unknown',
  }
}

/** The lines of a part: its header, an empty line, its body. */
type Part = string[]

type Attached = { filename: string; type: string; contentId: string | undefined; bytes: Uint8Array }

function contentOf(form: MailForm, header: MailHeader): Part {
  const [plain = '', html = ''] = ['body-plain', 'body-html'].map((name) => header.posted(name)[0] ?? '')
  const attached = attachedTo(form, header)
  const original = header.all('content-type')[0]?.toLowerCase() ?? ''
  const [only] = attached
  if (/^application\/(x-)?pkcs7-mime/.test(original) && attached.length === 1 && only && plain + html === '')
    return attachmentPart({ ...only, type: `application/pkcs7-mime${smimeType(original)}` })

  const texts = [
    ...(plain === '' && html !== '' ? [] : [textPart('plain', plain)]),
    ...(html === '' ? [] : [textPart('html', html)]),
  ]
  const isBeside = ({ contentId }: Attached) => contentId !== undefined && html !== ''
  const body = joined('alternative', texts)
  const shown = joined('related', [body, ...attached.filter(isBeside).map(attachmentPart)])
  const parts = [shown, ...attached.filter((one) => !isBeside(one)).map(attachmentPart)]
  return /^multipart\/encrypted/.test(original) ? multipart('encrypted', parts) : joined('mixed', parts)
}

/** The parameter `smime-type` (RFC 8551). It distinguishes signed content and certificates from encrypted content. */
function smimeType(contentType: string): string {
  const [, type] = /smime-type\s*=\s*"?([a-z-]{1,30})/.exec(contentType) ?? []
  return type === undefined ? '' : `; smime-type=${type}`
}

function attachedTo({ files }: MailForm, header: MailHeader): Attached[] {
  const contentIds = contentIdsOf(header)
  const asText = header.names.filter((name) => /^attachment-\d{1,9}$/.test(name))
  return [
    ...files.map(({ name, filename, claimedType, bytes }) => ({
      filename,
      type: typeOf(claimedType),
      contentId: contentIds.get(name.toLowerCase()),
      bytes,
    })),
    ...asText.flatMap((name) =>
      header.posted(name).map((text) => ({
        filename: '',
        type: 'text/plain',
        contentId: contentIds.get(name),
        bytes: Buffer.from(text),
      })),
    ),
  ]
}

/** The inverse of `content-id-map`: maps the name of a file's form field to its content id. */
function contentIdsOf(header: MailHeader): Map<string, string> {
  const ids = new Map<string, string>()
  const map = Object.entries(jsonOf(header.posted('content-id-map')[0]) ?? {})
  for (const [written, name] of map.slice(0, maxContentIds)) {
    const id = written.replace(/[\s<>\p{Cc}]/gu, '').slice(0, maxContentId)
    if (typeof name === 'string' && id !== '') ids.set(name.toLowerCase(), id)
  }
  return ids
}

const maxContentIds = 1_000
const maxContentId = 250

function jsonOf(text: string | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The type that the sender claims, or `application/octet-stream`: multipart types cannot be sent in base64. */
function typeOf(claimed: string): string {
  const isType = /^[a-z0-9][\w.+-]{0,126}\/[a-z0-9][\w.+-]{0,126}$/i.test(claimed)
  return isType && !/^multipart\//i.test(claimed) ? claimed.toLowerCase() : 'application/octet-stream'
}

/** A multipart of these parts, or the part itself if there is only one. */
function joined(kind: string, parts: Part[]): Part {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : multipart(kind, parts)
}

function multipart(kind: string, parts: Part[]): Part {
  const boundary = `=_part_of_${kind}`
  return [
    `Content-Type: multipart/${kind}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
  ]
}

function textPart(kind: 'plain' | 'html', text: string): Part {
  return [
    `Content-Type: text/${kind}; charset=utf-8`,
    'Content-Transfer-Encoding: base64',
    '',
    base64(Buffer.from(text)),
  ]
}

function attachmentPart({ filename, type, contentId, bytes }: Attached): Part {
  const isShown = contentId !== undefined && type.startsWith('image/')
  return [
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: ${isShown ? 'inline' : 'attachment'}${filenameParameter(filename)}`,
    ...(contentId === undefined ? [] : [`Content-ID: <${contentId}>`]),
    '',
    base64(bytes),
  ]
}

const maxFilename = 500

/** The parameter with the file name. The name is split into pieces (RFC 2231) to keep lines short. */
function filenameParameter(filename: string): string {
  const name = beginningOf(oneLine(filename), maxFilename)
  const encoded = Array.from(
    Buffer.from(name),
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  )
  const pieces = Array.from({ length: Math.ceil(encoded.length / octetsPerPiece) }, (_, at) =>
    encoded.slice(at * octetsPerPiece, (at + 1) * octetsPerPiece).join(''),
  )
  return pieces.map((piece, at) => `;\r\n filename*${at}*=${at === 0 ? "UTF-8''" : ''}${piece}`).join('')
}

const octetsPerPiece = 20

/** Base64 in lines of 76 characters, without a line break at the end. */
function base64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const lines: string[] = []
  for (let at = 0; at < text.length; at += 76) lines.push(text.slice(at, at + 76))
  return lines.join('\r\n')
}
