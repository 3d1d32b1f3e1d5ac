import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, sentTo } from '#test/support/sent-mail.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const path = `${outbound}/drafts`
const draft = (body: Record<string, unknown> = {}, by = firm) => by.owner('POST', path, { body })
/** A new document of this number of mebibytes, through an announced upload. */
async function largeDocument(mebibytes: number): Promise<string> {
  const bytes = new Uint8Array(mebibytes * 1024 * 1024).fill(97)
  bytes.set(new TextEncoder().encode(crypto.randomUUID()))
  const announced = await firm.owner('POST', '/api/v1/documents/uploads', {
    body: { filename: 'Gutachten.txt', mime_type: 'text/plain', size_bytes: bytes.length },
  })
  const { method, url, headers } = announced.body.upload
  await fetch(url, { method, headers, body: bytes })
  const { id } = announced.body.document
  expect((await firm.owner('POST', `/api/v1/documents/${id}/complete`)).status).toBe(200)
  return id
}

describe('a draft', () => {
  it('may be made without a body', async () => {
    const { status, body } = await firm.owner('POST', path)

    expect([status, body.to, body.subject]).toEqual([201, [], ''])
  })

  it('may be empty, and shows every field', async () => {
    const { status, body } = await draft()

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^draft_[0-9a-f-]{36}$/),
      to: [],
      cc: [],
      bcc: [],
      subject: '',
      body_html: '',
      attachments: [],
      attachments_as: 'files',
      case_id: null,
      in_reply_to: null,
      warnings: [],
      status: 'draft',
      created_at: expect.any(String),
      updated_at: body.created_at,
    })
    expect((await firm.owner('GET', `${path}/${body.id}`)).body).toEqual(body)
  })

  it('keeps what a save does not mention, and clears what is null', async () => {
    const document = (await upload(firm.owner)).body
    const { body: made } = await draft({
      to: ['a@example.com'],
      cc: ['b@example.com'],
      subject: 'Eins',
      body_html: '<p>Text</p>',
      attachments: [document.id],
    })

    const changed = await firm.owner('PUT', `${path}/${made.id}`, { body: { subject: 'Zwei', cc: null } })
    const cleared = await firm.owner('PUT', `${path}/${made.id}`, {
      body: { body_html: null, attachments: null },
    })

    expect(changed.body).toEqual({ ...made, subject: 'Zwei', cc: [], updated_at: changed.body.updated_at })
    expect(cleared.body).toMatchObject({ subject: 'Zwei', body_html: '', attachments: [] })
  })

  it('is cleaned when it is saved: scripts and event handlers go, tables and inline styles stay', async () => {
    const { body } = await draft({
      body_html: '<table><tr><td style="color:red" onclick="x()">A</td></tr></table><script>x()</script>',
    })

    expect(body.body_html).toContain('<td style="color:red">A</td>')
    expect(body.body_html).not.toMatch(/script|onclick/)
  })

  it('that is saved again and again has the last body, also when bodies come back', async () => {
    const { body: made } = await draft({ body_html: '<p>A</p>' })
    for (const text of ['B', 'A', 'B', 'B', 'C', 'A'])
      await firm.owner('PUT', `${path}/${made.id}`, { body: { body_html: `<p>${text}</p>` } })

    expect((await firm.owner('GET', `${path}/${made.id}`)).body.body_html).toBe('<p>A</p>')
  })

  it('that is saved as it is does not change', async () => {
    const document = (await upload(firm.owner)).body
    const content = { to: ['anna@example.com'], subject: 'Klage', attachments: [document.id] }
    const { id, updated_at } = (await draft(content)).body

    const saved = await firm.owner('PUT', `${path}/${id}`, { body: content })

    expect([saved.status, saved.body.updated_at]).toEqual([200, updated_at])
  })

  it('saved by twenty requests at once is what one of them saved', async () => {
    const { body: made } = await draft()

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        firm.owner('PUT', `${path}/${made.id}`, { body: { subject: `${at}`, body_html: `<p>${at}</p>` } }),
      ),
    )

    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual(
      [],
    )
    const { body } = await firm.owner('GET', `${path}/${made.id}`)
    expect(body.body_html).toBe(`<p>${body.subject}</p>`)
  })

  it('is changed only in the state that If-Match names', async () => {
    const made = await draft({ subject: 'Eins' })
    const etag = made.headers.get('etag') ?? ''
    const save = (subject: string, ifMatch: string) =>
      firm.owner('PUT', `${path}/${made.body.id}`, { body: { subject }, headers: { 'If-Match': ifMatch } })

    const first = await save('Zwei', etag)
    const late = await save('Drei', etag)
    const again = await save('Vier', first.headers.get('etag') ?? '')

    expect([first.status, late.status, again.status]).toEqual([200, 412, 200])
    expect(again.body.subject).toBe('Vier')
  })

  it('of another user or workspace does not exist', async () => {
    const { body: made } = await draft({ to: ['a@example.com'], subject: 'Meins' })
    const { api: colleague } = await firm.colleague()
    const ask = (caller: typeof colleague) =>
      Promise.all([
        caller('GET', `${path}/${made.id}`),
        caller('PUT', `${path}/${made.id}`, { body: { subject: 'Deins' } }),
        caller('DELETE', `${path}/${made.id}`),
        caller('POST', `${path}/${made.id}/send`),
      ])

    const answers = [...(await ask(colleague)), ...(await ask(stranger.owner))]

    expect(answers.map(codeOf)).toEqual(answers.map(() => [404, 'DRAFT_NOT_FOUND']))
    expect((await colleague('GET', path)).body.data).toEqual([])
    expect((await firm.owner('GET', `${path}/${made.id}`)).body).toEqual(made)
  })

  it('that was deleted is in no list and cannot be sent', async () => {
    const { body: made } = await draft({ to: ['a@example.com'], subject: 'Weg' })

    const deleted = await firm.owner('DELETE', `${path}/${made.id}`)

    expect(deleted.status).toBe(204)
    expect((await firm.owner('GET', `${path}/${made.id}`)).status).toBe(404)
    expect((await firm.owner('POST', `${path}/${made.id}/send`)).status).toBe(404)
    const { data } = (await firm.owner('GET', path)).body
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(made.id)
  })

  it('refuses attachments that do not exist, whose bytes are missing, or that are over 6 MiB together', async () => {
    const foreign = (await upload(stranger.owner)).body.id
    const announced = await firm.owner('POST', '/api/v1/documents/uploads', {
      body: { filename: 'Akte.pdf', mime_type: 'application/pdf', size_bytes: 1_000 },
    })
    const [four, three] = [await largeDocument(4), await largeDocument(3)]

    const answers = [
      await draft({ attachments: [foreign] }),
      await draft({ attachments: [announced.body.document.id] }),
      await draft({ attachments: [four, three] }),
    ]
    const asLinks = await draft({ attachments: [four, three], attachments_as: 'links' })
    const asFiles = await firm.owner('PUT', `${path}/${asLinks.body.id}`, {
      body: { attachments_as: 'files' },
    })

    expect(answers.map(codeOf)).toEqual([
      [404, 'DOCUMENT_NOT_FOUND'],
      [409, 'UPLOAD_INCOMPLETE'],
      [413, 'ATTACHMENT_TOO_LARGE'],
    ])
    expect(asLinks.status).toBe(201)
    expect(codeOf(asFiles)).toEqual([413, 'ATTACHMENT_TOO_LARGE'])
  })

  it('refuses an unknown case, a body of more than a mebibyte, and more than 50 recipients', async () => {
    const addresses = Array.from({ length: 26 }, (_, at) => `r${at}@example.com`)
    const { body: made } = await draft({ to: addresses })

    const answers = [
      await draft({ case_id: '01993f5e-0000-7000-8000-000000000000' }),
      await draft({ body_html: `<p>${'x'.repeat(1024 * 1024)}</p>` }),
      await firm.owner('PUT', `${path}/${made.id}`, { body: { cc: addresses } }),
    ]

    expect(answers.map(codeOf)).toEqual([
      [404, 'CASE_NOT_FOUND'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [400, 'VALIDATION_ERROR'],
    ])
  })
})

describe('sending a draft', () => {
  it('sends it once, answers the same again, and closes it', async () => {
    // Prepare
    const to = newAddress()
    const { body: made } = await draft({ to: [to], subject: 'Fertig', body_html: '<p>Fertig</p>' })

    // Act
    const first = await firm.owner('POST', `${path}/${made.id}/send`)
    const again = await firm.owner('POST', `${path}/${made.id}/send`)

    // Assess
    expect([first.status, first.body.success]).toEqual([200, true])
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await sentTo(to)).toHaveLength(1)
    expect((await firm.owner('GET', `${path}/${made.id}`)).body.status).toBe('sent')
    const change = await firm.owner('PUT', `${path}/${made.id}`, { body: { subject: 'Anders' } })
    const removal = await firm.owner('DELETE', `${path}/${made.id}`)
    expect([change, removal].map(codeOf)).toEqual([
      [409, 'DRAFT_ALREADY_SENT'],
      [409, 'DRAFT_ALREADY_SENT'],
    ])
    const { data } = (await firm.owner('GET', path)).body
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(made.id)
  })

  it('sends it only in the state that If-Match names; a repeated send gets its answer', async () => {
    const to = newAddress()
    const made = await draft({ to: [to], subject: 'Gesehen' })
    const one = `${path}/${made.body.id}`
    const saved = await firm.owner('PUT', one, { body: { subject: 'Ungesehen' } })
    const send = (answer: typeof made) =>
      firm.owner('POST', `${one}/send`, { headers: { 'If-Match': answer.headers.get('etag') ?? '' } })

    const late = await send(made)
    const unsent = await sentTo(to)
    const fitting = await send(saved)
    const again = await send(saved)

    expect([codeOf(late), unsent]).toEqual([[412, 'PRECONDITION_FAILED'], []])
    expect([fitting.status, again.status, again.body]).toEqual([200, 200, fitting.body])
  })

  it('by twenty requests at once sends one mail', async () => {
    const to = newAddress()
    const { body: made } = await draft({ to: [to], subject: 'Einmal' })

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => firm.owner('POST', `${path}/${made.id}/send`)),
    )

    for (const answer of answers)
      if (answer.status !== 200) expect(codeOf(answer)).toEqual([409, 'SEND_IN_PROGRESS'])
    expect((await firm.owner('POST', `${path}/${made.id}/send`)).status).toBe(200)
    expect(await sentTo(to)).toHaveLength(1)
  })

  it('without recipients and subject is 400 and names both', async () => {
    const { body: made } = await draft({ body_html: '<p>Leer</p>' })

    const answer = await firm.owner('POST', `${path}/${made.id}/send`)

    expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details.map((one: { path: string }) => one.path)).toEqual(['to', 'subject'])
    expect((await firm.owner('GET', `${path}/${made.id}`)).body.status).toBe('draft')
  })

  it('with a deleted document answers 409 and sends nothing, until the draft is saved without it', async () => {
    const to = newAddress()
    const document = (await upload(firm.owner)).body
    const { body: made } = await draft({ to: [to], subject: 'Anlage', attachments: [document.id] })
    await firm.owner('DELETE', `/api/v1/documents/${document.id}`)

    const gone = await firm.owner('POST', `${path}/${made.id}/send`)

    expect(codeOf(gone)).toEqual([409, 'ATTACHMENT_GONE'])
    expect(await sentTo(to)).toEqual([])
    await firm.owner('PUT', `${path}/${made.id}`, { body: { attachments: [] } })
    expect((await firm.owner('POST', `${path}/${made.id}/send`)).status).toBe(200)
  })
})
