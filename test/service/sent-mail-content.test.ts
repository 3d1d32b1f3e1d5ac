import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { corpus, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, type SentMail, send, sentTo } from '#test/support/sent-mail.ts'

/** The content of the message for readers other than the library that wrote it. */
let firm: Firm
let whole: Awaited<ReturnType<typeof sentWithEverything>>
beforeAll(async () => {
  firm = await newFirm()
  whole = await sentWithEverything()
})

const sha256 = (bytes: ArrayBuffer | Uint8Array | string) =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    .digest('hex')

async function one(to: string): Promise<SentMail> {
  const [message, ...more] = await sentTo(to)
  expect(more).toEqual([])
  if (message === undefined) throw new Error('Nothing was sent.')
  return message
}

const long = `Klageerwiderung mit Anlagen zum Schriftsatz vom 3. März ${'Kündigungsschutzklage '.repeat(9).trim()} – Entwürfe & „Notizen“ (2).pdf`
const subject = `Ihr Az. 12/26: Klage „Müller ./. Größe & Söhne“ – Frist läuft am 3. März ab ${'Ärger '.repeat(30).trim()} 📎`
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const html = `<table style="border: 1px solid #333; color: red"><tr><td style="padding: 4px">Größe: 5 m²</td></tr></table>
<p>Grüße aus München<br>${'Sehr lange Zeile ohne Umbruch '.repeat(80)}</p>
.<p>.</p>From hier<img alt="Logo" src="data:image/png;base64,${pixel}"><img src="data:image/png;base64,${pixel}">`

/** The parts and headers of a message as Python's library reads them. */
const python = `
import sys, json, hashlib
from email import policy, message_from_bytes
from email.header import decode_header, make_header
raw = sys.stdin.buffer.read()
m = message_from_bytes(raw, policy=policy.default)
# Its newer parser puts a blank between the encoded words of a name (mended in Python 3.13).
name = lambda field: str(make_header(decode_header(message_from_bytes(raw)[field]))).rsplit(" <", 1)[0].strip('"')
html = m.get_body(preferencelist=("html",)); text = m.get_body(preferencelist=("plain",))
print(json.dumps({
  "subject": m["subject"], "names": [name("from"), name("to")],
  "html": html.get_content(), "text": text.get_content(),
  "attached": [[p.get_filename(), p.get_content_type(), hashlib.sha256(p.get_payload(decode=True)).hexdigest()] for p in m.iter_attachments()],
  "inline": [[p["content-id"], hashlib.sha256(p.get_payload(decode=True)).hexdigest()] for p in m.walk() if p.get_content_disposition() == "inline"],
  "defects": [str(d) for p in m.walk() for d in p.defects],
}))`
const hasPython = (() => {
  try {
    return execFileSync('python3', ['-c', 'import email; print(1)']).length > 0
  } catch {
    return false
  }
})()

async function sentWithEverything() {
  const files = [
    { name: 'vertrag.pdf', filename: long },
    { name: 'schriftsatz.docx', filename: 'Schriftsatz äöüß €.docx' },
    { name: 'scan.png', filename: 'scan"1";x=y.png' },
    { name: 'brief-windows-1252.txt', filename: 'Brief.txt' },
  ]
  const documents = []
  for (const { name, filename } of files)
    documents.push((await upload(firm.owner, { bytes: corpus(name), filename })).body)
  const to = newAddress()
  const answer = await send(firm.owner, {
    to: [`"Müller-Lüdenscheidt, Jörg (Öffentlicher Dienst)" <${to}>`],
    subject,
    body_html: html,
    attachments: documents.map(({ id }) => id),
  })
  expect(answer.status).toBe(200)
  const digests = files.map(({ name }) => sha256(corpus(name)))
  return { message: await one(to), documents, digests }
}

describe('a message with everything in it', () => {
  it('is read by postal-mime as it was written, its attachments byte for byte', () => {
    const { message, documents, digests } = whole

    const { mail } = message
    const [attached, inline] = [true, false].map((isAttached) =>
      mail.attachments.filter(({ disposition }) => (disposition === 'attachment') === isAttached),
    )
    expect(mail.subject).toBe(subject)
    expect(mail.to?.map(({ name }) => name)).toEqual(['Müller-Lüdenscheidt, Jörg (Öffentlicher Dienst)'])
    expect(attached?.map(({ filename }) => filename)).toEqual(documents.map(({ filename }) => filename))
    expect(attached?.map(({ mimeType }) => mimeType)).toEqual(documents.map(({ mime_type }) => mime_type))
    expect(attached?.map(({ content }) => sha256(content as ArrayBuffer))).toEqual(digests)
    expect(inline?.map(({ content }) => sha256(content as ArrayBuffer))).toEqual([
      sha256(Buffer.from(pixel, 'base64')),
    ])
    const cid = inline?.[0]?.contentId?.slice(1, -1) ?? ''
    expect(mail.html?.match(/src="cid:[^"]+"/g)).toEqual([`src="cid:${cid}"`, `src="cid:${cid}"`])
    expect(mail.html).toMatch(/<table style="border:\s?1px solid #333;\s?color:\s?red">/)
    expect(mail.text).toContain('Größe: 5 m²')
    // SMTP requires it.
    const lines = message.raw.toString('latin1').split('\r\n')
    expect(lines.filter((line) => /[\r\n]/.test(line) || line.length > 998)).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII is what is looked for
    expect(message.raw.toString('latin1')).not.toMatch(/[^\x00-\x7f]/)
  })

  it.skipIf(!hasPython)('is read by Python’s email library as it was written', () => {
    const { message, documents, digests } = whole

    const read = JSON.parse(execFileSync('python3', ['-c', python], { input: message.raw }).toString())

    expect(read.defects).toEqual([])
    expect(read.subject).toBe(subject)
    expect(read.names).toEqual([firm.ownerUser.name, 'Müller-Lüdenscheidt, Jörg (Öffentlicher Dienst)'])
    expect(read.attached).toEqual(
      documents.map(({ filename, mime_type }, at) => [filename, mime_type, digests[at]]),
    )
    expect(read.inline.map(([, digest]: string[]) => digest)).toEqual([sha256(Buffer.from(pixel, 'base64'))])
    expect(read.html).toContain(`cid:${read.inline[0][0].slice(1, -1)}`)
    expect(read.html).toContain('Größe: 5 m²')
    expect(read.text).toContain('Grüße aus München')
  })

  it('threads over three generations: every reply names all that came before, the parent last', async () => {
    const to = newAddress()
    let id = (await send(firm.owner, { to: [to], subject: 'Erste' })).body.id
    for (let generation = 0; generation < 3; generation += 1) {
      const draft = await firm.owner('POST', `${outbound}/reply-envelope`, {
        body: { correspondence_id: id },
      })
      id = `corr_${(await firm.owner('POST', `${outbound}/drafts/${draft.body.id}/send`)).body.email_id}`
    }

    const messages = await sentTo(to)

    const ids = messages.map(({ mail }) => mail.messageId ?? '')
    expect(new Set(ids).size).toBe(4)
    for (const [at, { mail }] of messages.entries()) {
      const references = mail.references?.split(/\s+/) ?? []
      expect(mail.inReplyTo).toBe(ids[at - 1])
      expect(references.filter((reference) => ids.includes(reference))).toEqual(ids.slice(0, at))
    }
  })
})
