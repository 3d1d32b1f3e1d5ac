import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { api } from '#test/support/api.ts'
import { type ArrivingMail, filed, judged, messageOf, read } from '#test/support/arriving-mail.ts'
import { form, settled, upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import type { Firm } from '#test/support/firm.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { indexed } from '#test/support/search.ts'
import { until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { signMail } from '#test/support/signed-mail.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'
import { sendBySmtp } from '#test/support/smtp-client.ts'
import { placesOf } from '#test/support/stored-data.ts'

/**
 * Words that do not come in the declared body of a request: file names and bytes of forms, headers, mail that arrives,
 * and what a signer types. The service is the test's own, so that all that it writes can be searched.
 */

let service: Service
let firm: Pick<Firm, 'workspace' | 'baseUrl' | 'owner'>
let approver: ReturnType<typeof api>
let db: Db
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'] })
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const [office] = service.credentials.workspaces
  if (office === undefined) throw new Error('The service has no firm.')
  const owner = api(service.baseUrl, office.users[0]?.api_key)
  firm = { workspace: office, baseUrl: service.baseUrl, owner }
  const user = await post('users', { name: 'Emre Çelik', email: 'celik@example.de' })
  const granted = { user_id: user.id, name: 'Vier Augen', scopes: ['workspace:admin'] }
  approver = api(service.baseUrl, (await post('api-keys', granted)).key)
}, 300_000)
afterAll(() => service.stop())

const nobody = () => api(firm.baseUrl, undefined)
const post = async (path: string, body: object = {}) => {
  const answer = await firm.owner('POST', `/api/v1/${path}`, { body })
  expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined])
  return answer.body
}

/** Words that are used, by the place where they come in. */
const words = new Map<string, string>()
function word(place: string): string {
  const made = `zwx${words.size}q`
  words.set(made, place)
  return made
}
const placeOf = (found: string) => `${words.get(found.split(':')[0] ?? '')} ${found}`

/** A PDF of one page with this text. */
function pdf(text: string): Uint8Array<ArrayBuffer> {
  const content = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ])
}

/** Sends files in every way. @returns the ids of the documents */
async function sendFiles(case_id: string): Promise<string[]> {
  const { id: tenant, webhook_token } = firm.workspace
  const token = { 'X-Service-Token': webhook_token }
  const uploaded = await upload(
    firm.owner,
    { bytes: `Es steht ${word('text of a form')} darin.`, filename: `${word('file name of a form')}.txt` },
    { case_id },
  )
  const inbox = await firm.owner('POST', '/api/v1/inbox/upload', {
    raw: form(
      { files: { bytes: pdf(word('text of a scan')), filename: `${word('file name of a scan')}.pdf` } },
      { source: word('source of a scan') },
    ),
  })
  const metadata = { [word('key of metadata')]: { sender: [word('value of metadata')] } }
  const pushed = await nobody()('POST', `/webhooks/inbox/${tenant}`, {
    headers: token,
    raw: form(
      { file: { bytes: pdf(word('text of a push')), filename: `${word('file name of a push')}.pdf` } },
      { metadata: JSON.stringify(metadata) },
    ),
  })
  expect([uploaded, inbox, pushed].map(({ status }) => status)).toEqual([201, 201, 200])
  const bytes = pdf(word('text of an announced upload'))
  const announced = {
    filename: `${word('file name of an announced upload')}.pdf`,
    mime_type: 'application/pdf',
    size_bytes: bytes.length,
    metadata: { sender: word('metadata of an announced upload') },
  }
  const { body: begun } = await nobody()('POST', '/api/v1/webhooks/inbox/uploads', {
    headers: token,
    body: announced,
  })
  await fetch(begun.upload.url, { method: 'PUT', headers: begun.upload.headers, body: bytes })
  const completed = await nobody()('POST', `/api/v1/webhooks/inbox/uploads/${begun.document.id}/complete`, {
    headers: token,
  })
  expect(completed.status).toBe(200)
  const ids = [
    uploaded.body.id,
    inbox.body.uploaded[0].document_id,
    `doc_${pushed.body.document_id}`,
    begun.document.id,
  ]
  for (const id of ids) await settled(firm.owner, id)
  for (const id of ids.slice(1)) await post(`inbox/${id}/file`, { case_id })
  return ids
}

/** A mail with a word in every part of it. */
function aMail(way: string): ArrivingMail & { headers: Record<string, string> } {
  const at = (part: string) => word(`${part} of a mail by ${way}`)
  return {
    from: `${at('name of the sender')} <${at('address of the sender')}@example.com>`,
    to: [firm.workspace.inbound_address, `${at('name of a recipient')} <${at('recipient')}@example.com>`],
    cc: [`${at('name of a copy')} <${at('copy')}@example.com>`],
    replyTo: `${at('name for answers')} <${at('address for answers')}@example.com>`,
    subject: at('subject'),
    text: `Guten Tag ${at('text')}`,
    html: `<p title="${at('attribute')}">Guten Tag ${at('HTML')}</p><!-- ${at('comment')} -->`,
    messageId: `<${at('message id')}@example.com>`,
    references: [`<${at('reference')}@example.com>`],
    headers: { 'X-Kanzlei': at('header') },
    attachments: [
      { filename: `${at('file name')}.txt`, content: `Anlage ${at('attachment')}` },
      { filename: `${at('name of a PDF')}.pdf`, content: pdf(at('text of a PDF')) },
    ],
  }
}

/** Delivers a mail through the webhook of the mail service. @returns its id */
async function byWebhook(mail: ArrivingMail): Promise<string> {
  const raw = new FormData()
  const fields = {
    ...signMail({ key: service.credentials.mail_signing_key }),
    from: mail.from ?? '',
    sender: 'bote@example.com',
    recipient: firm.workspace.inbound_address,
    'body-mime': (await messageOf(mail)).toString('latin1'),
  }
  for (const [name, value] of Object.entries(fields)) raw.append(name, value)
  const { status, body } = await nobody()('POST', '/api/v1/email/inbound', { raw })
  expect(status).toBe(200)
  return body.correspondence_id
}

/** Delivers a mail to the mail server. @returns its id */
async function bySmtp(mail: ArrivingMail): Promise<string> {
  const raw = await messageOf(mail)
  await sendBySmtp(service.credentials.smtp_url ?? '', { to: [firm.workspace.inbound_address], raw })
  const { data } = await until(firm.owner, '/api/v1/correspondence?limit=100', ({ data: mails }) =>
    mails.some(({ subject }: { subject: string }) => subject === mail.subject),
  )
  return data.find(({ subject }: { subject: string }) => subject === mail.subject).id
}

/** Texts that signers type, on envelopes of documents of the case. */
async function signAndDecline(case_id: string, document_id: string): Promise<void> {
  const of = { case_id, document_ids: [document_id] }
  const office = firm as Firm
  const signers = [{ name: word('name of a signer'), email: `${word('address of a signer')}@example.com` }]
  const signed = await sendEnvelope(office, { of, signers })
  const visiting = { 'User-Agent': `Mozilla ${word('browser of a signer')}` }
  const signer = visitor(office, await signed.link(), visiting)
  await signer.open()
  for (const document of signed.documents) await signer.ask('GET', `/documents/${document.id}`)
  await signer.sign({ name: word('name that is typed') })
  await signed.untilCompleted()
  const declined = await sendEnvelope(office, { of, signers: [{ name: 'Karl', access_code: 'Ahorn-27' }] })
  const token = await declined.link()
  const other = visitor(office, token, visiting)
  await other.post('access', { code: word('wrong access code') })
  const granted = await other.post('access', { code: 'Ahorn-27' })
  const cookie = (granted.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const admitted = visitor(office, token, { ...visiting, Cookie: cookie })
  await admitted.decline(`Nein: ${word('reason of a signer')}`)
  expect((await declined.get()).status).toBe('declined')
}

/** Disposes of a case on the local clock. If a late job changes the case, it is kept and proposed again. */
async function dispose(case_id: string): Promise<void> {
  await closeLongAgo(firm as Firm, case_id, undefined, db)
  const disposed = async () => {
    const { id } = await post('disposals', { case_ids: [case_id] })
    expect((await approver('POST', `/api/v1/disposals/${id}/approve`)).status).toBe(200)
    const disposal = async () => (await firm.owner('GET', `/api/v1/disposals/${id}`)).body
    for (let minute = 0; minute < 30 && (await disposal()).status !== 'done'; minute += 1)
      await moveClock(service, 'PT1M')
    return (await disposal()).cases
  }
  const first = await disposed()
  const cases = first[0].reason === 'changed' ? await disposed() : first
  expect(cases).toMatchObject([{ case_id, state: 'done', reason: null }])
}

async function erase(partyId: string): Promise<void> {
  await post(`parties/${partyId}/erase`)
  const erased = async () =>
    (await firm.owner('GET', '/api/v1/audit?action=party.erased&limit=100')).body.data
  const isErased = async () => (await erased()).some(({ ref }: { ref: { id: string } }) => ref.id === partyId)
  for (let minute = 0; minute < 30 && !(await isErased()); minute += 1) await moveClock(service, 'PT1M')
  expect(await isErased()).toBe(true)
}

/** The files below a folder that hold one of these words, with the word. */
function filesWith(folder: string, wanted: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name)).toString('latin1').toLowerCase()
    return wanted.filter((one) => text.includes(one)).map((one) => `${one}: ${parentPath}/${name}`)
  })
}

describe('data that did not arrive in a declared body', () => {
  it('is removed with its case', async () => {
    const { id: case_id } = await post('cases', { name: 'Meier ./. Schulze' })
    const [document = ''] = await sendFiles(case_id)
    const mails = [await byWebhook(aMail('webhook')), await bySmtp(aMail('SMTP'))]
    for (const id of mails) {
      await judged(firm as Firm, id)
      await post(`inbox/${id}/file`, { case_id })
      await filed(firm as Firm, id)
    }
    await signAndDecline(case_id, document)
    await indexed(firm.owner)
    const all = [...words.keys()]
    const filled = await placesOf(firm.workspace.id, all, service.dataDir)

    await dispose(case_id)

    const found = new Set(filled.map((place) => words.get(place.split(':')[0] ?? '')))
    const neverStored = ['wrong access code']
    expect([...words.values()].filter((place) => !found.has(place))).toEqual(neverStored)
    const left = await placesOf(firm.workspace.id, all, service.dataDir)
    expect(left.map(placeOf)).toEqual([])
    const bucket = join(service.dataDir, 's3')
    const inBucket = filesWith(bucket, all).filter((file) => !file.includes('/received/'))
    expect(inBucket.map(placeOf)).toEqual([])
    expect(filesWith(join(service.dataDir, 'mail'), all).map(placeOf)).toEqual([])
    const output = service.output().toLowerCase()
    expect(all.filter((one) => output.includes(one)).map(placeOf)).toEqual([])
  }, 300_000)

  it('does not name a person after the erasure of the person', async () => {
    const [name, address] = [
      `${word('first name')} ${word('family name')}`,
      `${word('address of the person')}@example.com`,
    ]
    const { id: partyId } = await post('parties', { name, email: address })
    const mail: ArrivingMail = {
      from: `${name} <${address}>`,
      subject: `Anfrage von ${name}`,
      text: `Es grüßt ${name}, ${address}`,
      html: `<p>Es grüßt <b>${name}</b>, <a href="mailto:${address}">${address}</a></p>`,
      replyTo: address,
      attachments: [{ filename: `Vollmacht ${name}.txt`, content: 'Vollmacht' }],
    }
    const ids = [
      await byWebhook({ ...mail, messageId: `<${address}>` }),
      await bySmtp({ ...mail, subject: `Nachfrage von ${name}`, inReplyTo: `<${address}>` }),
    ]
    for (const id of ids) await read(firm as Firm, id)
    for (const id of ids) await judged(firm as Firm, id)
    await indexed(firm.owner)
    const all = [...words.keys()].slice(-3)
    const filled = await placesOf(firm.workspace.id, all, service.dataDir)

    await erase(partyId)

    expect(new Set(filled.map((place) => place.split(':')[0])).size).toBe(3)
    const left = await placesOf(firm.workspace.id, all, service.dataDir)
    expect(left.map(placeOf)).toEqual([])
    const inBucket = filesWith(join(service.dataDir, 's3'), all).filter(
      (file) => !file.includes('/received/'),
    )
    expect(inBucket.map(placeOf)).toEqual([])
    const output = service.output().toLowerCase()
    expect(all.filter((one) => output.includes(one)).map(placeOf)).toEqual([])
  }, 300_000)
})
