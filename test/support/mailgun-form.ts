import type { MailForm } from '#correspondence/reception-ports.ts'
import type { ReadMail } from '#mail/read-mail.ts'

/**
 * The form that Mailgun posts for a message: header fields as pairs and as separate fields, bodies, files, and the
 * list of files that the HTML shows (Mailgun's manual, "Routes").
 */
export function mailgunForm(raw: Uint8Array, message: ReadMail, recipient = 'kanzlei@in.example'): MailForm {
  const headers = headerPairs(raw)
  const own = Object.groupBy(headers, ([name]) => name)
  const one = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  const files = message.attachments.map(({ filename, mime_type, bytes }, at) => ({
    name: `attachment-${at + 1}`,
    filename,
    claimedType: mime_type,
    bytes,
  }))
  const shown = message.attachments.flatMap(({ content_id, is_related }, at) =>
    content_id !== null && is_related ? [[`<${content_id}>`, `attachment-${at + 1}`]] : [],
  )
  return {
    fields: {
      ...Object.fromEntries(
        Object.entries(own).map(([name, pairs = []]) => [name, pairs.map(([, value]) => value)]),
      ),
      recipient,
      sender: one('return-path'),
      from: one('from'),
      subject: one('subject'),
      'body-plain': message.text,
      ...(message.html !== null && { 'body-html': message.html }),
      'stripped-text': 'Gekürzt.',
      ...(files.length > 0 && { 'attachment-count': String(files.length) }),
      ...(shown.length > 0 && { 'content-id-map': JSON.stringify(Object.fromEntries(shown)) }),
      'message-headers': JSON.stringify(headers),
    },
    files,
  }
}

/** The header fields as they were sent, unfolded. */
function headerPairs(raw: Uint8Array): [string, string][] {
  const text = Buffer.from(raw).toString('utf8')
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length
  return text
    .slice(0, end)
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
}
