import { beforeAll, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { beaGiven } from '#test/support/bea-given.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** The checks before a beA message is sent (B7), and who may send it at once, over HTTP and with a session. */

const path = '/api/v1/bea/drafts'
const pdf = (text: string) => new TextEncoder().encode(`%PDF-1.7\n% ${text} ${Math.random()}`)
let firm: Firm
let account_id: string

beforeAll(async () => {
  firm = await newFirm()
  account_id = await beaGiven(firm).logIn(0)
})

const document = async (filename: string, bytes = pdf(filename)): Promise<string> =>
  (await upload(firm.owner, { bytes, filename })).body.id

/** A document of `size` bytes, by an announced upload. */
async function largeDocument(filename: string, size: number): Promise<string> {
  const bytes = new Uint8Array(size).fill(97)
  bytes.set(pdf(filename))
  const about = { filename, mime_type: 'application/pdf', size_bytes: size }
  const { upload: given, document: announced } = (
    await firm.owner('POST', '/api/v1/documents/uploads', { body: about })
  ).body
  await fetch(given.url, { method: given.method, headers: given.headers, body: bytes })
  expect((await firm.owner('POST', `/api/v1/documents/${announced.id}/complete`)).status).toBe(200)
  return announced.id
}

const draft = async (attachments: string[], to: string = safeIds.landgericht): Promise<string> => {
  const recipients = [{ name: 'Landgericht', bea_id: to }]
  const body = { account_id, to: recipients, subject: 'Klage', body: 'Anbei.', attachments }
  return (await firm.owner('POST', path, { body })).body.id
}

const send = (id: string, body: object = {}, by = firm.owner) => by('POST', `${path}/${id}/send`, { body })
const statusOf = async (id: string) => (await firm.owner('GET', `${path}/${id}`)).body.status

/** The draft once it is sent and imported. */
async function sentDraft(id: string) {
  const read = async () => (await firm.owner('GET', `${path}/${id}`)).body
  await expect.poll(async () => (await read()).message_id, { timeout: 90_000, interval: 250 }).not.toBeNull()
  return read()
}

describe('a message that cannot be sent', () => {
  it('for 61 MB of files is 422 before anything is sent; with less it goes', async () => {
    const large = await largeDocument('Gutachten.pdf', 40_000_000)
    const files = [large, await largeDocument('Anlage.pdf', 21_000_000)]
    const id = await draft(files)

    const { status, body } = await send(id)

    expect([status, body.error.code]).toEqual([422, 'BEA_PREFLIGHT_FAILED'])
    expect(body.error.details).toEqual([
      { path: 'attachments', message: expect.stringContaining('at most 60 MB') },
    ])
    expect(await statusOf(id)).toBe('draft')
    const smaller = await draft([large])
    expect((await send(smaller)).status).toBe(202)
    expect(await sentDraft(smaller)).toMatchObject({ status: 'sent', error: null })
  })

  it('for names that courts refuse is 422 with each of them, and goes with `rename`', async () => {
    const names = [
      'Klage Meier.pdf',
      'Klage.v2.pdf',
      'Klage',
      'Café.pdf',
      'Klage§.pdf',
      '.pdf',
      `${'a'.repeat(87)}.pdf`,
      'Anlage.pdf',
      'ANLAGE.pdf',
      'xjustiz_nachricht.xml',
      'nachrichtentext.PDF',
    ]
    const files: string[] = []
    for (const name of names) files.push(await document(name))
    const id = await draft(files)

    const { status, body } = await send(id)
    const renamed = await send(id, { rename: true })

    expect([status, body.error.code]).toEqual([422, 'BEA_PREFLIGHT_FAILED'])
    const refused = body.error.details.map(({ path: at }: { path: string }) => at)
    expect(refused).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9, 10].map((at) => `attachments.${at}`))
    expect(renamed.status).toBe(202)
    const { status: sent, message_id } = await sentDraft(id)
    expect(sent).toBe('sent')
    const { data } = (await firm.owner('GET', `/api/v1/bea/messages/${message_id}/attachments`)).body
    const arrived = data.map(({ filename }: { filename: string }) => filename)
    expect(arrived).toEqual(
      expect.arrayContaining(['Klage_Meier.pdf', 'Klage_v2.pdf', 'Cafe.pdf', 'Anlage.pdf']),
    )
    expect(arrived.length).toBeGreaterThanOrEqual(names.length)
    for (const name of arrived) expect(name).toMatch(/^[\wäöüßÄÖÜ-]{1,86}\.\w+$/)
  })

  it('because somebody has changed it since is 412 with the ETag of the state that was looked at', async () => {
    const id = await draft([await document('Entwurf.pdf')])
    const sendSeen = (ifMatch: string) =>
      firm.owner('POST', `${path}/${id}/send`, { headers: { 'If-Match': ifMatch } })
    const seen = (await firm.owner('GET', `${path}/${id}`)).headers.get('etag') ?? ''
    const changes = { attachments: [await document('Falsche-Akte.pdf')] }
    const saved = await firm.owner('PUT', `${path}/${id}`, { body: changes })

    const refused = await sendSeen(seen)
    const state = await statusOf(id)
    const sent = await sendSeen(saved.headers.get('etag') ?? '')

    expect([refused.status, refused.body.error.code, state]).toEqual([412, 'PRECONDITION_FAILED', 'draft'])
    expect([sent.status, (await sentDraft(id)).status]).toEqual([202, 'sent'])
  })

  it('says everything that is wrong with it at once', async () => {
    const body = { account_id, to: [], subject: '', attachments: [await document('Bild.txt', pdf('x'))] }
    const { id } = (await firm.owner('POST', path, { body })).body
    const { id: twoCourts } = (
      await firm.owner('POST', path, {
        body: {
          ...body,
          to: [safeIds.landgericht, safeIds.amtsgericht].map((bea_id) => ({ name: 'Gericht', bea_id })),
          attachments: [await document('Brief.txt', new TextEncoder().encode('nur Text'))],
        },
      })
    ).body

    const [empty, courts] = [await send(id), await send(twoCourts)]

    expect(empty.body.error.details.map((one: { path: string }) => one.path)).toEqual(['to', 'subject'])
    expect(courts.body.error.details.map((one: { path: string }) => one.path)).toEqual([
      'to',
      'subject',
      'attachments.0',
    ])
  })
})

describe('two people who send one draft at once', () => {
  it('send one message: the other one is told that it is under way', async () => {
    const { user, api } = await firm.colleague()
    await firm.owner('POST', '/api/v1/bea/permissions', {
      body: { account_id, user_id: user.id, rights: ['03', '05'] },
    })
    const id = await draft([await document('Klage.pdf')], safeIds.demir)

    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => send(id)),
      ...Array.from({ length: 10 }, () => send(id, {}, api)),
    ])
    const { status, message_id } = await sentDraft(id)

    expect(answers.map((one) => one.status).toSorted()).toEqual([202, ...Array(19).fill(409)])
    const refusals = answers.flatMap(({ body }) => body.error?.code ?? [])
    expect(new Set(refusals)).toEqual(new Set(['DRAFT_ALREADY_SENT']))
    expect([status, message_id]).toEqual(['sent', expect.stringMatching(/^bea_msg_/)])
    const sync = await firm.owner('POST', `/api/v1/bea/accounts/${account_id}/sync`)
    expect(sync.status).toBe(202)
    const lastSync = async () =>
      (await firm.owner('GET', `/api/v1/bea/accounts/${account_id}`)).body.last_sync?.status
    await expect.poll(lastSync, { timeout: 90_000, interval: 500 }).toBe('done')
    const { data } = (await firm.owner('GET', '/api/v1/bea/messages?direction=outbound&search=klage')).body
    const ours = data.filter(({ recipients }: { recipients: { bea_id: string }[] }) =>
      recipients.some(({ bea_id }) => bea_id === safeIds.demir),
    )
    expect(ours.map((one: { id: string }) => one.id)).toContain(message_id)
  })
})
