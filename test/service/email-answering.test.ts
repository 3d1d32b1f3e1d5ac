import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo } from '#test/support/sent-mail.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const post = (path: string, body: unknown, by = firm.owner) => by('POST', `${outbound}/${path}`, { body })
const reply = (correspondence_id: string, reply_all?: boolean) =>
  post('reply-envelope', { correspondence_id, ...(reply_all !== undefined && { reply_all }) })
const forward = (correspondence_id: string) => post('forward-envelope', { correspondence_id })

describe('a reply', () => {
  it('to our own mail is a stored draft to its recipients, with subject, quotation, signature and case', async () => {
    // Prepare
    const to = newAddress()
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body
    await firm.owner('PATCH', `/api/v1/users/${firm.ownerUser.id}`, {
      body: { signature_html: '<p>Dr. Jana Vogt</p>' },
    })
    const sent = await send(firm.owner, {
      to: [`Anna Meier <${to}>`],
      subject: 'Entwurf',
      body_html: '<p>Guten <b>Tag</b></p>',
      case_id: kase.id,
    })

    // Act
    const { status, body } = await reply(sent.body.id)

    // Assess
    expect(status).toBe(201)
    expect(body).toMatchObject({
      to: [`Anna Meier <${to}>`],
      cc: [],
      bcc: [],
      subject: 'Re: Entwurf',
      case_id: kase.id,
      attachments: [],
      status: 'draft',
    })
    expect(body.body_html).toMatch(
      /^<p><br \/><\/p><p>Dr\. Jana Vogt<\/p><p>Am \d\d\.\d\d\.\d{4} um \d\d:\d\d schrieb [^<]+ &lt;[^<]+&gt;:<\/p><blockquote/,
    )
    expect(body.body_html).toContain('<p>Guten <b>Tag</b></p></blockquote>')
    expect((await firm.owner('GET', `${outbound}/drafts/${body.id}`)).body).toEqual(body)
  })

  it('to all adds the other recipients, none of them twice, and none of our own addresses', async () => {
    const [to, cc] = [newAddress(), newAddress()]
    const { user } = await firm.colleague()
    const own = (await firm.owner('GET', `/api/v1/users/${user.id}`)).body.email
    const sent = await send(firm.owner, {
      to: [to, firm.workspace.inbound_address],
      cc: [cc, `Kollege <${own.toUpperCase()}>`, to.toUpperCase()],
      bcc: [newAddress()],
    })

    const [one, all] = [(await reply(sent.body.id)).body, (await reply(sent.body.id, true)).body]
    const none = (await post('reply-envelope', { correspondence_id: sent.body.id, reply_all: null })).body

    expect([one.to, one.cc]).toEqual([[to], []])
    expect([none.to, none.cc]).toEqual([[to], []])
    expect([all.to, all.cc, all.bcc]).toEqual([[to], [cc], []])
  })

  it.each([
    ['Re: AW: Antw: WG: Fwd: Frist', 'Re: Frist', 'Fwd: Frist'],
    ['RE:re: Frist', 'Re: Frist', 'Fwd: Frist'],
    ['Fw: Frist', 'Re: Frist', 'Fwd: Frist'],
    ['Rechnung: Frist', 'Re: Rechnung: Frist', 'Fwd: Rechnung: Frist'],
    ['x'.repeat(998), `Re: ${'x'.repeat(994)}`, `Fwd: ${'x'.repeat(993)}`],
  ])('to “%s” has one prefix, and so has a forward', async (subject, replied, forwarded) => {
    const { id } = (await send(firm.owner, { to: [newAddress()], subject })).body

    expect([(await reply(id)).body.subject, (await forward(id)).body.subject]).toEqual([replied, forwarded])
  })

  it('to a reply names three generations in its References, with the ids that recipients see', async () => {
    // Prepare
    const to = newAddress()
    const ids = [(await send(firm.owner, { to: [to], subject: 'Erste' })).body.id]

    // Act
    for (let generation = 0; generation < 2; generation += 1) {
      const { body } = await reply(ids.at(-1) ?? '')
      const sent = await post(`drafts/${body.id}/send`, {})
      ids.push(`corr_${sent.body.email_id}`)
    }

    // Assess
    const [first, second, third] = await sentTo(to)
    const providerId = (mail = first) => `<${mail?.envelope.message_id}@eu-central-1.amazonses.com>`
    const referencesOf = (mail = first) => mail?.mail.references?.split(/\s+/) ?? []
    expect(second?.mail.inReplyTo).toBe(first?.mail.messageId)
    expect(referencesOf(second)).toEqual([first?.mail.messageId, providerId(first)])
    expect(third?.mail.inReplyTo).toBe(second?.mail.messageId)
    expect(referencesOf(third)).toEqual([...referencesOf(second), second?.mail.messageId, providerId(second)])
  })

  it('to a mail that fills a mebibyte quotes as much of its text as fits, and can be sent', async () => {
    const to = newAddress()
    const body_html = `<p>${'Wort '.repeat(209_000)}</p>`
    const { id } = (await send(firm.owner, { to: [newAddress()], body_html })).body

    const { status, body } = await reply(id)
    const saved = await firm.owner('PUT', `${outbound}/drafts/${body.id}`, {
      body: { to: [to], body_html: body.body_html },
    })

    expect([status, saved.status]).toEqual([201, 200])
    expect(body.body_html).toContain('Wort Wort')
    expect((await post(`drafts/${body.id}/send`, {})).status).toBe(200)
  })

  it('still works where the case of the mail was deleted, and names no case', async () => {
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Kurz' } })).body
    const { id } = (await send(firm.owner, { to: [newAddress()], case_id: kase.id })).body
    await firm.owner('DELETE', `/api/v1/cases/${kase.id}`)

    const { status, body } = await reply(id)

    expect([status, body.case_id]).toEqual([201, null])
  })
})

it('a reply and a forward have the ETag of the draft that they make', async () => {
  const { id } = (await send(firm.owner, { to: [newAddress()] })).body

  for (const made of [await reply(id), await forward(id)]) {
    const headers = { 'If-Match': made.headers.get('etag') ?? 'none' }
    const body = { subject: 'Geändert' }
    const saved = await firm.owner('PUT', `${outbound}/drafts/${made.body.id}`, { headers, body })
    expect([made.status, saved.status]).toEqual([201, 200])
  }
})

describe('a forward', () => {
  it('keeps the attachments that still exist, names nobody, and begins a new thread', async () => {
    // Prepare
    const [kept, gone] = [(await upload(firm.owner)).body, (await upload(firm.owner)).body]
    const { id } = (await send(firm.owner, { to: [newAddress()], attachments: [kept.id, gone.id] })).body
    await firm.owner('DELETE', `/api/v1/documents/${gone.id}`)

    // Act
    const { status, body } = await forward(id)

    // Assess
    expect(status).toBe(201)
    expect(body).toMatchObject({
      to: [],
      cc: [],
      in_reply_to: null,
      attachments: [{ document_id: kept.id, filename: kept.filename }],
    })
    const to = newAddress()
    await firm.owner('PUT', `${outbound}/drafts/${body.id}`, { body: { to: [to] } })
    await post(`drafts/${body.id}/send`, {})
    const [sent] = await sentTo(to)
    expect([sent?.mail.inReplyTo, sent?.mail.references]).toEqual([undefined, undefined])
    expect(sent?.mail.attachments).toHaveLength(1)
  })
})

it('a mail of another workspace, or none, cannot be answered', async () => {
  const { id } = (await send(stranger.owner, { to: [newAddress()] })).body

  const answers = [await reply(id), await forward(id), await reply('corr_x'), await forward('corr_x')]

  expect(answers.map(codeOf)).toEqual(answers.map(() => [404, 'CORRESPONDENCE_NOT_FOUND']))
})

it('the signature is the caller’s own, and empty where none is set', async () => {
  const own = await newFirm()
  const path = `${outbound}/signature`
  const before = await own.owner('GET', path)
  await own.owner('PATCH', `/api/v1/users/${own.ownerUser.id}`, { body: { signature_html: '<p>Vogt</p>' } })
  const { api: colleague } = await own.colleague()

  expect(before.body).toEqual({ signature_html: '' })
  expect((await own.owner('GET', path)).body).toEqual({ signature_html: '<p>Vogt</p>' })
  expect((await colleague('GET', path)).body).toEqual({ signature_html: '' })
})
