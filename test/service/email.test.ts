import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo, until } from '#test/support/sent-mail.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const create = async (path: string, body: unknown, by = firm) => (await by.owner('POST', path, { body })).body
const newCase = (by = firm) => create('/api/v1/cases', { name: 'Meier ./. Schulze' }, by)
const timeline = async (id: string) =>
  (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body.data as {
    type: string
    summary: string
    actor: { type: string; name: string }
    ref: { type: string; id: string }
  }[]
const pathsOf = ({ body }: { body: { error: { details?: { path: string }[] } } }) =>
  body.error.details?.map(({ path }) => path)

describe('a direct send', () => {
  it('reaches all recipients with its attachment, from the firm’s address in the name of the user', async () => {
    // Prepare
    const [to, cc, bcc] = [newAddress(), newAddress(), newAddress()]
    const bytes = 'Sehr geehrte Damen und Herren, äöü.'
    const document = (await upload(firm.owner, { bytes, filename: 'Klage Müller.txt' })).body

    // Act
    const answer = await send(firm.owner, {
      to: [`Anna Müller <${to}>`],
      cc: [cc],
      bcc: [bcc],
      subject: 'Klage wegen Kündigung – Entwurf',
      body_html: '<p>Grüße</p><script>alert(1)</script><p onclick="x()">aus <b>München</b></p>',
      attachments: [document.id],
    })

    // Assess
    expect([answer.status, answer.body.direction, answer.body.status]).toEqual([200, 'outbound', 'sent'])
    const [sent, ...more] = await sentTo(to)
    expect(more).toEqual([])
    expect(sent?.envelope.destinations).toEqual([to, cc, bcc])
    expect(sent?.mail).toMatchObject({
      from: { name: firm.ownerUser.name, address: firm.workspace.inbound_address },
      to: [{ name: 'Anna Müller', address: to }],
      cc: [{ address: cc }],
      subject: 'Klage wegen Kündigung – Entwurf',
    })
    expect(sent?.mail.bcc).toBeUndefined()
    expect(sent?.mail.html).toContain('<b>München</b>')
    expect(sent?.mail.html).not.toMatch(/script|onclick/)
    expect(sent?.mail.text).toContain('München')
    expect(sent?.mail.attachments.map(({ filename }) => filename)).toEqual(['Klage Müller.txt'])
    expect(new TextDecoder().decode(sent?.mail.attachments[0]?.content as ArrayBuffer)).toBe(bytes)
  })

  it('answers in the shape in which it was asked, of the same mail', async () => {
    const to = newAddress()
    const idempotency_key = crypto.randomUUID()
    const content = { subject: 'Frist', body_html: '<p>Heute</p>', idempotency_key }

    const current = await firm.owner('POST', `${outbound}/send`, {
      body: { ...content, to_recipients: [to] },
    })
    const second = await firm.owner('POST', `${outbound}/send`, { body: { ...content, to: [to] } })

    expect(current.body).toEqual({
      success: true,
      email_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      message_id: expect.stringMatching(/./),
      sent_at: expect.any(String),
    })
    expect(second.body).toEqual({
      id: `corr_${current.body.email_id}`,
      direction: 'outbound',
      status: 'sent',
      sent_at: current.body.sent_at,
    })
    expect(await sentTo(to)).toHaveLength(1)
  })

  it('with one key, asked twenty times at once, is one mail and one answer', async () => {
    const to = newAddress()
    const body = { to_recipients: [to], subject: 'Einmal', idempotency_key: crypto.randomUUID() }

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => firm.owner('POST', `${outbound}/send`, { body })),
    )
    const last = await firm.owner('POST', `${outbound}/send`, { body })

    expect(last.status).toBe(200)
    for (const answer of answers) {
      if (answer.status === 409) {
        expect(answer.body.error.code).toBe('SEND_IN_PROGRESS')
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      } else expect([answer.status, answer.body]).toEqual([200, last.body])
    }
    expect(await sentTo(to)).toHaveLength(1)
  })

  it('with other content under a known key is refused and sends nothing', async () => {
    const [to, other] = [newAddress(), newAddress()]
    const body = { to_recipients: [to], subject: 'Erste', idempotency_key: crypto.randomUUID() }
    await firm.owner('POST', `${outbound}/send`, { body })

    const answers = [
      await firm.owner('POST', `${outbound}/send`, { body: { ...body, subject: 'Zweite' } }),
      await firm.owner('POST', `${outbound}/send`, { body: { ...body, bcc_recipients: [other] } }),
      await firm.owner('POST', `${outbound}/send`, { body: { ...body, attachments_as: 'links' } }),
    ]

    expect(answers.map(codeOf)).toEqual([
      [409, 'IDEMPOTENCY_KEY_REUSED'],
      [409, 'IDEMPOTENCY_KEY_REUSED'],
      [409, 'IDEMPOTENCY_KEY_REUSED'],
    ])
    expect([(await sentTo(to)).length, (await sentTo(other)).length]).toEqual([1, 0])
  })

  it('takes the key of another user for another key', async () => {
    const [one, other] = [newAddress(), newAddress()]
    const idempotency_key = crypto.randomUUID()
    const { api } = await firm.colleague()

    const ours = await firm.owner('POST', `${outbound}/send`, {
      body: { to_recipients: [one], subject: 'A', idempotency_key },
    })
    const theirs = await api('POST', `${outbound}/send`, {
      body: { to_recipients: [other], subject: 'B', idempotency_key },
    })

    expect([ours.status, theirs.status]).toEqual([200, 200])
    expect(theirs.body.email_id).not.toBe(ours.body.email_id)
  })

  it('repeated after its document was deleted answers as the first time', async () => {
    const document = (await upload(firm.owner)).body
    const body = {
      to_recipients: [newAddress()],
      subject: 'Anlage',
      attachments: [document.id],
      idempotency_key: crypto.randomUUID(),
    }
    const first = await firm.owner('POST', `${outbound}/send`, { body })
    await firm.owner('DELETE', `/api/v1/documents/${document.id}`)

    const again = await firm.owner('POST', `${outbound}/send`, { body })

    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it('is one entry in the timeline of its case', async () => {
    const kase = await newCase()
    const { body } = await send(firm.owner, {
      to: [newAddress()],
      case_id: kase.id,
      subject: 'An die Akte',
    })

    const entries = (await timeline(kase.id)).filter(({ type }) => type.startsWith('mail.'))

    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      type: 'mail.sent',
      actor: { type: 'user', name: firm.ownerUser.name },
      ref: { type: 'correspondence', id: body.id },
    })
    expect(entries[0]?.summary).toContain('An die Akte')
  })

  it.each([
    ['no recipient field', { to: undefined }, ['body.to_recipients', 'body.to']],
    ['both recipient fields', { to_recipients: ['a@example.com'] }, ['body.to_recipients', 'body.to']],
    ['no recipient', { to: [] }, ['body.to']],
    ['no subject', { subject: undefined }, ['body.subject']],
    ['a blank subject', { subject: '  ' }, ['body.subject']],
    [
      'the current shape without a key',
      { to: undefined, to_recipients: ['a@example.com'] },
      ['body.idempotency_key'],
    ],
    ['a key that is no UUID', { idempotency_key: 'once' }, ['body.idempotency_key']],
    ['a line break in the subject', { subject: 'Frist\r\nBcc: x@example.com' }, ['body.subject']],
    ['a subject of 999 characters', { subject: 'x'.repeat(999) }, ['body.subject']],
    ['a line break in an address', { to: ['Anna\r\nBcc: x@example.com <a@example.com>'] }, ['body.to.0']],
    ['a line break behind an address', { cc: ['ok@example.com', 'a@example.com\nX: y'] }, ['body.cc.1']],
    ['a group', { to: ['Alle: a@example.com, b@example.com;'] }, ['body.to.0']],
    ['two addresses in one', { bcc: ['a@example.com, b@example.com'] }, ['body.bcc.0']],
    ['an address without a domain', { to: ['anna'] }, ['body.to.0']],
    ['a lone surrogate in the body', { body_html: '\ud800' }, ['body.body_html']],
    [
      '51 recipients over all fields',
      { to: fifty('a').slice(0, 20), cc: fifty('b').slice(0, 20), bcc: fifty('c').slice(0, 11) },
      ['body.to'],
    ],
  ])('with %s is 400 and names the field', async (_, changes, paths) => {
    const answer = await send(firm.owner, { to: ['anna@example.com'], ...changes })

    expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(pathsOf(answer)).toEqual(paths)
  })

  it('takes 50 recipients, and addresses with international names and domains', async () => {
    const marker = newAddress()
    const answer = await send(firm.owner, {
      to: [marker, '"Müller, Jörg" <joerg@müller-straße.de>'],
      cc: fifty('cc').slice(0, 24),
      bcc: fifty('bcc').slice(0, 24),
    })

    expect(answer.status).toBe(200)
    const [sent] = await sentTo(marker)
    expect(sent?.envelope.destinations).toHaveLength(50)
    expect(sent?.mail.to?.[1]).toMatchObject({ name: 'Müller, Jörg' })
  })

  it('with a body of more than a mebibyte is 413', async () => {
    const answer = await send(firm.owner, {
      to: [newAddress()],
      body_html: `<p>${'ä'.repeat(530_000)}</p>`,
    })

    expect(codeOf(answer)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('with quotes 200 deep keeps all of them', async () => {
    const to = newAddress()
    const body_html = `${'<blockquote>'.repeat(200)}Ursprung${'</blockquote>'.repeat(200)}`

    expect((await send(firm.owner, { to: [to], body_html })).status).toBe(200)

    expect((await sentTo(to))[0]?.mail.html?.match(/<blockquote>/g)).toHaveLength(200)
  })

  it('of documents and cases that do not exist, or are another workspace’s, is 404 and sends nothing', async () => {
    const to = newAddress()
    const foreign = (await upload(stranger.owner)).body.id
    const foreignCase = (await newCase(stranger)).id

    const answers = [
      await send(firm.owner, { to: [to], attachments: [foreign] }),
      await send(firm.owner, { to: [to], attachments: ['doc_01993f5e-0000-7000-8000-000000000000'] }),
      await send(firm.owner, { to: [to], case_id: foreignCase }),
    ]

    expect(answers.map(codeOf)).toEqual([
      [404, 'DOCUMENT_NOT_FOUND'],
      [404, 'DOCUMENT_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
    ])
    expect(await sentTo(to)).toEqual([])
  })

  it('of a document that was announced and never came is 409, of one that is not read yet or cannot be is sent', async () => {
    const announced = await create('/api/v1/documents/uploads', {
      filename: 'Akte.pdf',
      mime_type: 'application/pdf',
      size_bytes: 1_000,
    })
    const to = newAddress()
    const pending = (await upload(firm.owner)).body

    const early = await send(firm.owner, { to: [to], attachments: [announced.document.id] })
    const sent = await send(firm.owner, { to: [to], attachments: [pending.id] })

    expect(codeOf(early)).toEqual([409, 'UPLOAD_INCOMPLETE'])
    expect([sent.status, (await sentTo(to)).length]).toEqual([200, 1])
  })
})

describe('what becomes of a mail', () => {
  it('is shown for each recipient, and a bounce stands in the timeline of its case', async () => {
    // Prepare
    const kase = await newCase()
    const [good, bounced, delayed] = [newAddress(), newAddress('bounce+'), newAddress('delay+')]

    // Act
    const { body } = await send(firm.owner, { to: [good], cc: [bounced, delayed], case_id: kase.id })
    const mail = await until(
      firm.owner,
      `/api/v1/correspondence/${body.id}`,
      ({ delivery }) => delivery.length === 3,
      // The events of all mails are recorded one after the other; those to fifty recipients come first.
      200,
    )

    // Assess
    const states = Object.fromEntries(
      mail.delivery.map(({ email, status }: { email: string; status: string }) => [email, status]),
    )
    expect(states).toMatchObject({ [good]: 'delivered', [bounced]: 'bounced' })
    const entries = (await timeline(kase.id)).filter(({ type }) => type === 'mail.bounced')
    expect(entries).toHaveLength(1)
    expect(entries[0]?.summary).toContain(bounced)
  })
})

function fifty(name: string): string[] {
  return Array.from({ length: 50 }, (_, at) => `${name}-${at}@example.com`)
}
