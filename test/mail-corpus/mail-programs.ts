import type { CorpusMail, EarlierMail, MailProgram } from './corpus-mail.ts'

/**
 * The message as its program writes it: header fields, charset, transfer encoding, MIME structure, and the way it quotes
 * and forwards. The same mail gives the same bytes.
 *
 * @param attached `text`: an attachment holds the text that extraction gives for it; otherwise a sham PDF
 */
export function rawMessage(mail: CorpusMail, attached: 'text' | 'sham' = 'sham'): Buffer {
  const body = withEarlier(mail)
  const { fields, part } = programs[mail.by](body)
  const attachments = (mail.attachments ?? []).map(({ name, xml, text }) =>
    attachmentPart(name, xml ?? (attached === 'text' ? text : undefined)),
  )
  const content =
    attachments.length === 0 ? part : multipart('mixed', `${mail.id}-mixed`, [part, ...attachments])
  const header = [
    'Return-Path: <bounce@example.org>',
    'Received: from mail.example.org ([192.0.2.7]) by eingang.example; Fri, 20 Nov 2026 08:30:05 +0000',
    ...(mail.from === '' ? [] : [`From: ${encodedAddress(mail.from)}`]),
    'To: akten@eingang.kanzlei-morgenroth.example',
    `Subject: ${encodedWords(mail.subject)}`,
    'Date: Fri, 20 Nov 2026 09:30:00 +0100',
    `Message-ID: <${mail.id}@corpus.example>`,
    ...(mail.answers === undefined ? [] : [`In-Reply-To: ${mail.answers}`]),
    ...(mail.answers === undefined ? [] : [`References: ${(mail.thread ?? [mail.answers]).join('\r\n ')}`]),
    ...fields,
    ...Object.entries(mail.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    'MIME-Version: 1.0',
  ]
  return Buffer.concat([Buffer.from(`${header.join('\r\n')}\r\n`), content])
}

/** A body in plain text; `html` marks what it quotes in the program's own way. */
type Body = { text: string; html: string }

type Written = { fields: string[]; part: Buffer }

const programs: Record<MailProgram, (body: Body) => Written> = {
  outlook: ({ text, html }) => ({
    fields: ['X-Mailer: Microsoft Outlook 16.0', 'Thread-Index: AQHbOx1k2m', 'Content-Language: de-DE'],
    part: multipart('alternative', '_000_outlook', [
      textPart('plain', text, 'windows-1252', 'quoted-printable'),
      textPart(
        'html',
        `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0cm;font-size:11.0pt}</style></head><body lang="DE"><div class="WordSection1">${html}</div></body></html>`,
        'windows-1252',
        'quoted-printable',
      ),
    ]),
  }),
  'apple-mail': ({ text, html }) => ({
    fields: ['X-Mailer: Apple Mail (2.3826.200.121)'],
    part: multipart('alternative', 'Apple-Mail=_8A2D', [
      textPart('plain', text, 'utf-8', 'quoted-printable'),
      textPart(
        'html',
        `<html><body style="overflow-wrap: break-word;">${html}</body></html>`,
        'utf-8',
        'quoted-printable',
      ),
    ]),
  }),
  iphone: ({ text }) => ({
    fields: ['X-Mailer: iPhone Mail (23B85)'],
    part: textPart('plain', text, 'utf-8', 'base64'),
  }),
  gmail: ({ text, html }) => ({
    fields: [],
    part: multipart('alternative', '000000000000a1b2c3', [
      textPart('plain', text, 'UTF-8', 'base64'),
      textPart('html', `<div dir="ltr">${html}</div>`, 'UTF-8', 'quoted-printable'),
    ]),
  }),
  thunderbird: ({ text }) => ({
    fields: ['User-Agent: Mozilla Thunderbird', 'Content-Language: de-DE'],
    part: textPart('plain', text, 'UTF-8; format=flowed', '8bit'),
  }),
  webmail: ({ html }) => ({
    fields: ['X-Mailer: Webmail 7.2', 'X-Priority: 3'],
    part: textPart(
      'html',
      `<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">${html}</div></body></html>`,
      'UTF-8',
      'quoted-printable',
    ),
  }),
  court: ({ text }) => ({
    fields: ['X-Mailer: EGVP-Mailgateway', 'X-Priority: 3'],
    part: textPart('plain', text, 'ISO-8859-15', '8bit'),
  }),
  system: ({ text }) => ({
    fields: ['X-Mailer: PHPMailer 6.9'],
    part: textPart('plain', text, 'iso-8859-1', 'quoted-printable'),
  }),
  newsletter: ({ html }) => ({
    fields: ['X-Mailer: Kampagne 4', 'Feedback-ID: 1:2:3:kampagne'],
    part: textPart(
      'html',
      `<html><body><table><tr><td>${html}</td></tr></table></body></html>`,
      'UTF-8',
      'base64',
    ),
  }),
}

function withEarlier({ by, text, quotes, forwards, below }: CorpusMail): Body {
  const own = { text, html: paragraphs(text) }
  if (forwards !== undefined) return joined(own, forwarded(by, forwards))
  if (quotes === undefined) return own
  return below ? joined(quoted(by, quotes), own) : joined(own, quoted(by, quotes))
}

function joined(first: Body, second: Body): Body {
  return { text: `${first.text}\n\n${second.text}\n`, html: `${first.html}${second.html}` }
}

const angled = (text: string) =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')

const headerBlock = ({
  from,
  to = 'akten@eingang.kanzlei-morgenroth.example',
  on = '19.11.2026 16:40',
  subject = '',
}: EarlierMail) => [`Von: ${from}`, `Gesendet: ${on}`, `An: ${to}`, `Betreff: ${subject}`].join('\n')

function quoted(by: MailProgram, earlier: EarlierMail): Body {
  const { from, text } = earlier
  const name = from.replace(/ <.*/, '')
  if (by === 'outlook' || by === 'court' || by === 'system' || by === 'newsletter')
    return {
      text: `${headerBlock(earlier)}\n\n${text}`,
      html: `<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal">${lines(headerBlock(earlier))}</p></div>${paragraphs(text)}`,
    }
  if (by === 'webmail')
    return {
      text: `${headerBlock(earlier)}\n\n${text}`,
      html: `<div name="quote" style="margin:10px 5px 5px 10px; border-left:2px solid #C3D9E5;"><div>${lines(headerBlock(earlier))}</div><div name="quoted-content">${paragraphs(text)}</div></div>`,
    }
  const intro = {
    'apple-mail': `Am 18.11.2026 um 09:12 schrieb ${from}:`,
    iphone: `Von meinem iPhone gesendet\n\n> Am 18.11.2026 um 09:12 schrieb ${from}:`,
    gmail: `Am Mi., 18. Nov. 2026 um 09:12 Uhr schrieb ${name} <\n${from.replace(/.*</, '')}:`,
    thunderbird: `Am 18.11.26 um 09:12 schrieb ${name}:`,
  }[by]
  return {
    text: `${intro}\n${by === 'thunderbird' ? '' : '\n'}${angled(text)}`,
    html: `<div class="gmail_quote">${lines(intro)}<br><blockquote type="cite">${paragraphs(text)}</blockquote></div>`,
  }
}

function forwarded(by: MailProgram, earlier: EarlierMail): Body {
  const { from, on = '19.11.2026 16:40', to = 'mich', subject = '', text } = earlier
  if (by === 'gmail') {
    const head = `---------- Forwarded message ---------\nVon: ${from}\nDate: Do., 19. Nov. 2026 um 16:40 Uhr\nSubject: ${subject}\nTo: ${to}`
    return {
      text: `${head}\n\n\n${text}`,
      html: `<div class="gmail_quote">${lines(head)}<br><br>${paragraphs(text)}</div>`,
    }
  }
  if (by === 'apple-mail') {
    const head = `Von: ${from}\nBetreff: ${subject}\nDatum: 19. November 2026 um 16:40:11 MEZ\nAn: ${to}`
    return {
      text: `Anfang der weitergeleiteten Nachricht:\n\n${angled(`${head}\n\n${text}`)}`,
      html: `Anfang der weitergeleiteten Nachricht:<br><blockquote type="cite">${lines(head)}${paragraphs(text)}</blockquote>`,
    }
  }
  if (by === 'thunderbird') {
    const head = `-------- Weitergeleitete Nachricht --------\nBetreff: ${subject}\nDatum: ${on}\nVon: ${from}\nAn: ${to}`
    return { text: `${head}\n\n\n${text}`, html: paragraphs(text) }
  }
  return {
    text: `-----Ursprüngliche Nachricht-----\n${headerBlock(earlier)}\n\n${text}`,
    html: `<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p>${lines(headerBlock(earlier))}</p></div>${paragraphs(text)}`,
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const lines = (text: string) => escaped(text).replaceAll('\n', '<br>\n')
const paragraphs = (text: string) =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${lines(paragraph)}</p>`)
    .join('\n')

function multipart(kind: string, boundary: string, parts: Buffer[]): Buffer {
  const begin = `Content-Type: multipart/${kind};\r\n boundary="${boundary}"\r\n\r\n`
  return Buffer.concat([
    Buffer.from(begin),
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

type Encoding = 'quoted-printable' | 'base64' | '8bit'

/** If the charset does not contain a character, the part becomes UTF-8, as programs do. */
function textPart(kind: 'plain' | 'html', text: string, charset: string, encoding: Encoding): Buffer {
  const content = text.replaceAll('\n', '\r\n')
  const isLatin = /^(windows-1252|iso-8859)/i.test(charset)
  const fits = !isLatin || [...content].every((character) => latinByte(character) !== undefined)
  const bytes =
    isLatin && fits
      ? Buffer.from([...content].map((character) => latinByte(character) ?? 0x3f))
      : Buffer.from(content)
  const type = `Content-Type: text/${kind}; charset=${fits ? charset : 'utf-8'}`
  const head = `${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), encoded(bytes, encoding)])
}

/** The common part of the Latin charsets, and the two characters of the corpus beyond it. */
function latinByte(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 || (code >= 0xa0 && code < 0x100 && code !== 0xa4) ? code : undefined
}

function encoded(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === '8bit') return bytes
  if (encoding === 'base64') return Buffer.from(bytes.toString('base64').replace(/.{76}/g, '$&\r\n'))
  const written = bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) => {
      const escapes = [...line].map((character, at) => {
        const code = character.charCodeAt(0)
        const isPlain = (code > 32 && code < 127 && code !== 61) || (code === 32 && at < line.length - 1)
        return isPlain ? character : `=${code.toString(16).toUpperCase().padStart(2, '0')}`
      })
      let [row, rows] = ['', '']
      for (const piece of escapes) {
        if (row.length + piece.length > 75) {
          rows += `${row}=\r\n`
          row = ''
        }
        row += piece
      }
      return rows + row
    })
    .join('\r\n')
  return Buffer.from(written)
}

const types: Record<string, string> = {
  pdf: 'application/pdf',
  xml: 'application/xml',
  jpg: 'image/jpeg',
  HEIC: 'image/heic',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ics: 'text/calendar; method=REQUEST',
  zip: 'application/zip',
}

function attachmentPart(name: string, content: string | undefined): Buffer {
  const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  const head = [
    `Content-Type: ${type}; name="${encodedWords(name)}"`,
    `Content-Disposition: attachment; filename="${encodedWords(name)}"`,
    'Content-Transfer-Encoding: base64',
  ]
  const bytes = Buffer.from(content ?? `%PDF-1.7 ${name}`)
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), encoded(bytes, 'base64')])
}

function encodedAddress(address: string): string {
  const [, name = '', email = address] = /^(.*) <(.*)>$/.exec(address) ?? []
  return name === '' ? email : `${isAscii(name) ? `"${name}"` : encodedWords(name)} <${email}>`
}

/** RFC 2047, in words of at most 75 characters. */
function encodedWords(text: string): string {
  if (isAscii(text)) return text
  const words: string[] = ['']
  for (const character of text) {
    const word = words.at(-1) ?? ''
    if (Buffer.byteLength(word + character) > 42) words.push(character)
    else words[words.length - 1] = word + character
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}

function isAscii(text: string): boolean {
  return [...text].every((character) => character.charCodeAt(0) < 0x80)
}
