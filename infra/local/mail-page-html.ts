import { createHash } from 'node:crypto'
import { type Address, type Attachment, decodeWords, type Email } from 'postal-mime'
import { escapeHtml } from '#kernel/escape-html.ts'
import { acceptedAt, type MailEnvelope } from './mail-folder.ts'

/** The list of messages. If more follow, `next` is the name of the last message of this page. */
export function listPage(
  rows: { name: string; envelope: MailEnvelope | undefined }[],
  next: string | undefined,
): string {
  const body = rows.map(
    ({ name, envelope }) => `<tr>
<td>${timeOf(name)}</td>
<td>${escapeHtml(envelope?.from.join(', ') ?? '')}</td>
<td>${escapeHtml(envelope?.destinations.join(', ') ?? '')}</td>
<td><a href="/local/mail/${name}">${escapeHtml(envelope?.subject || '(no subject)')}</a></td>
</tr>
`,
  )
  return document(
    'Sent mail',
    `<h1>Sent mail</h1>
<p>What this service handed to its local SES. Nothing of it left this machine.</p>
${
  rows.length === 0
    ? '<p>There is none.</p>'
    : `<table class="list">
<thead><tr><th>Time (UTC)</th><th>From</th><th>Recipients</th><th>Subject</th></tr></thead>
<tbody>
${body.join('')}</tbody>
</table>`
}
${next === undefined ? '' : `<p><a href="/local/mail?before=${next}">Older</a></p>`}`,
  )
}

/** One message. `email` is undefined if it could not be parsed: its source can still be downloaded. */
export function messagePage(
  name: string,
  envelope: MailEnvelope | undefined,
  email: Email | undefined,
): string {
  const facts: [string, string][] = [
    ['From', addresses(email?.from && [email.from])],
    ['To', addresses(email?.to)],
    ['Cc', addresses(email?.cc)],
    ['Reply-To', addresses(email?.replyTo)],
    ['Date', email?.date ?? ''],
    ['Sent', `${timeOf(name)} UTC`],
    ['Sent to', envelope?.destinations.join(', ') ?? ''],
    ['Id', envelope?.message_id ?? ''],
    [
      'Tags',
      Object.entries(envelope?.tags ?? {})
        .map((tag) => tag.join(' = '))
        .join(', '),
    ],
  ]
  return document(
    email?.subject || '(no subject)',
    `<p><a href="/local/mail">Sent mail</a></p>
<h1>${escapeHtml(email?.subject || '(no subject)')}</h1>
${table(facts.filter(([, value]) => value !== ''))}
<p><a href="/local/mail/${name}/message.eml">The whole message</a></p>
${email === undefined ? '<p>This message cannot be parsed.</p>' : contentOf(name, email)}`,
  )
}

/** A page with one sentence. */
export function noticePage(sentence: string): string {
  return document('Sent mail', `<p>${escapeHtml(sentence)}</p>`)
}

function contentOf(name: string, { html, text, attachments, headers }: Email): string {
  const parts: [string, string | undefined][] = [
    ['HTML', html && `<iframe sandbox="" title="HTML" src="/local/mail/${name}/html"></iframe>`],
    ['Text', text && `<pre>${escapeHtml(text)}</pre>`],
    ['Attachments', attachments.length > 0 ? attachmentList(name, attachments) : undefined],
    ['Header', table(headers.map(({ originalKey, value }) => [originalKey, decodeWords(value)]))],
  ]
  return parts.flatMap(([title, content]) => (content ? [`<h2>${title}</h2>\n${content}\n`] : [])).join('')
}

function attachmentList(name: string, attachments: Attachment[]): string {
  const items = attachments.map(({ filename, mimeType, content, related }, at) => {
    const sizeBytes = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength
    const about = `${mimeType}, ${sizeBytes} bytes${related ? ', in the HTML' : ''}`
    return `<li><a href="/local/mail/${name}/attachments/${at + 1}">${escapeHtml(filename ?? 'attachment')}</a> (${escapeHtml(about)})</li>
`
  })
  return `<ul>\n${items.join('')}</ul>`
}

function table(rows: [string, string][]): string {
  const lines = rows.map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>\n`,
  )
  return `<table>\n${lines.join('')}</table>`
}

function addresses(list: Address[] = []): string {
  const one = ({ name, address }: { name: string; address: string }) =>
    name === '' ? address : `${name} <${address}>`
  return list
    .map((entry) =>
      entry.group === undefined ? one(entry) : `${entry.name}: ${entry.group.map(one).join(', ')};`,
    )
    .join(', ')
}

function timeOf(name: string): string {
  return acceptedAt(name).toISOString().slice(0, 19).replace('T', ' ')
}

const style = `
body { font: 15px/1.45 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0 }
iframe { width: 100%; height: 32rem; border: 1px solid #999; background: #fff }
pre { white-space: pre-wrap }
.list { table-layout: fixed }
.list th:first-child { width: 10rem }
@media (max-width: 40rem) {
  body { margin: 1rem auto }
  table, tbody, tr, th, td { display: block; width: auto }
  th, td { padding: 0 }
  tr { padding: .5rem 0; border-bottom: 1px solid #ccc }
  .list thead { display: none }
  .list tr { display: flex; flex-direction: column }
  .list td:last-child { order: -1; font-weight: bold }
  .list td:nth-child(2)::before { content: "From: " }
  .list td:nth-child(3)::before { content: "To: " }
}
`

/** The pages around a message may only use their own style and a frame of this origin. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function document(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`
}
