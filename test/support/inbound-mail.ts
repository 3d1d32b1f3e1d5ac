import { signMail } from './signed-mail.ts'

/** A file of a message. */
export type MessageFile = { name: string; type: string; bytes: Uint8Array }

/**
 * A message as a mail program writes it, all in ASCII, so that the mail service's form transports it byte for byte.
 */
export function rawMail({
  id = `${crypto.randomUUID()}@mueller.example`,
  from = 'Max Mueller <max@mueller.example>',
  subject = 'Kuendigung',
  text = 'Guten Tag',
  header = [],
  files = [],
}: {
  id?: string
  from?: string
  subject?: string
  text?: string
  header?: string[]
  files?: MessageFile[]
} = {}): string {
  const boundary = 'teil-7f3a'
  const parts = files.map(({ name, type, bytes }) =>
    [
      `--${boundary}`,
      `Content-Type: ${type}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n'),
      '',
    ].join('\r\n'),
  )
  return [
    `From: ${from}`,
    'To: akten@example.org',
    `Subject: ${subject}`,
    `Message-ID: <${id}>`,
    'Date: Fri, 20 Nov 2026 09:30:00 +0100',
    ...header,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    `${parts.join('')}--${boundary}--`,
    '',
  ].join('\r\n')
}

/** Delivers a message by the webhook of the mail service. @returns the id of its record */
export async function deliver(
  { baseUrl, key }: { baseUrl: string; key: string },
  recipient: string,
  raw: string | Uint8Array,
): Promise<string> {
  const form = new FormData()
  const message = Buffer.from(raw).toString('latin1')
  const fields = {
    ...signMail({ key }),
    recipient,
    from: 'max@mueller.example',
    sender: /^From:[^\r\n]*?([^\s<>]+@[^\s<>]+)/m.exec(message.slice(0, 10_000))?.[1] ?? '',
    'X-Mailgun-Spf': 'Pass',
    subject: 'Kuendigung',
    'body-mime': message,
  }
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const answer = await fetch(`${baseUrl}/api/v1/email/inbound`, { method: 'POST', body: form })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`The mail was not accepted: ${answer.status} ${text}`)
  return JSON.parse(text).correspondence_id
}
