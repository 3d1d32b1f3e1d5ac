import { beforeAll, describe, expect, it } from 'vitest'
import { arrived, inboxOf, newCase } from '#test/support/arriving-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo, until } from '#test/support/sent-mail.ts'
import { sendEnvelope } from '#test/support/signing.ts'

/** Replies to received mail, and our own mail that bounces (M6, M7). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const post = (path: string, body: unknown) => firm.owner('POST', `${outbound}/${path}`, { body })
const reply = (correspondence_id: string, reply_all = false) =>
  post('reply-envelope', { correspondence_id, reply_all })
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a reply to a received mail', () => {
  it.each([
    ['its References', true],
    ['In-Reply-To alone', false],
  ])('goes to the Reply-To of the mail, and is in the same thread and case; the thread is known from %s', async (_, hasReferences) => {
    // Prepare
    const [sender, answers] = [newAddress(), newAddress()]
    const messageId = `<${crypto.randomUUID()}@mueller.example>`
    const older = `<${crypto.randomUUID()}@mueller.example>`
    const mail = await arrived(firm, {
      from: `Max Müller <${sender}>`,
      replyTo: `Büro Müller <${answers}>`,
      subject: 'AW: Kündigung',
      messageId,
      ...(hasReferences && { references: [older] }),
      inReplyTo: older,
    })
    const case_id = await newCase(firm)
    await firm.owner('POST', `/api/v1/inbox/${mail.id}/file`, { body: { case_id } })

    // Act
    const draft = await reply(mail.id)
    const sent = await firm.owner('POST', `${outbound}/drafts/${draft.body.id}/send`)

    // Assess
    expect([draft.status, sent.status]).toEqual([201, 200])
    expect(draft.body).toMatchObject({
      to: [`Büro Müller <${answers}>`],
      cc: [],
      subject: 'Re: Kündigung',
      case_id,
      in_reply_to: messageId,
    })
    expect(draft.body.body_html).toMatch(
      /Am \d\d\.\d\d\.\d{4} um \d\d:\d\d schrieb Max Müller &lt;.*&gt;:<\/p><blockquote/,
    )
    const [message] = await sentTo(answers)
    expect(message?.mail).toMatchObject({ inReplyTo: messageId, references: `${older} ${messageId}` })
    expect(await sentTo(sender)).toEqual([])
  })

  it('to all also goes to the other recipients, but not to our own addresses, with or without a tag', async () => {
    const own = firm.workspace.inbound_address
    const mail = await arrived(firm, {
      from: 'Max Müller <max@mueller.example>',
      to: [own, own.replace('@', '+0012-26@'), 'Otto <otto@example.com>'],
      cc: ['eva@example.com', 'MAX@mueller.example'],
    })

    const { body } = await reply(mail.id, true)

    expect(body).toMatchObject({
      to: ['Max Müller <max@mueller.example>', 'Otto <otto@example.com>'],
      cc: ['eva@example.com'],
    })
  })

  it('shows the pictures of the mail, and sends them along', async () => {
    const from = newAddress()
    const mail = await arrived(firm, {
      from,
      html: '<p>Siehe Foto:</p><img src="cid:foto@mueller" alt="Foto">',
      attachments: [
        {
          filename: 'foto.png',
          content: Buffer.from(dot, 'base64'),
          contentType: 'image/png',
          cid: 'foto@mueller',
        },
      ],
    })

    const { body } = await reply(mail.id)
    await firm.owner('POST', `${outbound}/drafts/${body.id}/send`)

    expect(body.body_html).toContain(`src="data:image/png;base64,${dot}"`)
    const [message] = await sentTo(from)
    expect(message?.mail.html).toMatch(/<img [^>]*src="cid:/)
    expect(message?.mail.attachments.map(({ mimeType }) => mimeType)).toEqual(['image/png'])
  })

  it('is refused if the mail has no sender, such as a report of a failed delivery', async () => {
    const mail = await arrived(firm, { from: '<>', subject: 'Undelivered Mail Returned to Sender' })

    const { status, body } = await reply(mail.id)

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.details[0].path).toBe('body.correspondence_id')
  })
})

it('a forward of a received mail keeps its attachments', async () => {
  const mail = await arrived(firm, {
    subject: 'Fwd: Unterlagen',
    attachments: [
      { filename: 'Größe.txt', content: 'Eins' },
      { filename: 'Termin.ics', content: 'BEGIN:VCALENDAR', contentType: 'text/calendar' },
    ],
  })

  const { status, body } = await post('forward-envelope', { correspondence_id: mail.id })

  expect(status).toBe(201)
  expect(body).toMatchObject({ to: [], subject: 'Fwd: Unterlagen', in_reply_to: null })
  expect(body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
    'Größe.txt',
    'Termin.ics',
  ])
})

describe('mail of ours that could not be delivered', () => {
  const bouncedItem = async (id: string) => {
    const { data } = await until(
      firm.owner,
      '/api/v1/inbox?limit=100',
      ({ data: items }) => items.some((item: { id: string }) => item.id === id),
      // The events of all mails of all tests are recorded one after the other.
      200,
    )
    return data.find((item: { id: string }) => item.id === id)
  }

  it('is in the inbox with its recipient and the reason; dismissing it leaves the mail as it is', async () => {
    // Prepare
    const [to, case_id] = [newAddress('bounce+'), await newCase(firm)]
    const { id } = (await send(firm.owner, { to: [to], subject: 'Ladung', case_id })).body

    // Act
    const item = await bouncedItem(id)
    const before = (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
    const { body } = await firm.owner('POST', `/api/v1/inbox/${id}/dismiss`)

    // Assess
    expect(item).toMatchObject({
      kind: 'correspondence',
      state: 'open',
      subject: 'Ladung',
      case_id,
      triage: null,
    })
    expect(item.notice).toMatch(
      new RegExp(`^Nicht zugestellt an ${to.replaceAll('+', '\\+')}: .*550 5\\.1\\.1`),
    )
    expect(body).toMatchObject({ id, state: 'dismissed', case_id })
    expect((await inboxOf(firm)).some((one) => one.id === id)).toBe(false)
    expect((await firm.owner('GET', `/api/v1/correspondence/${id}`)).body).toEqual(before)
  })

  it('is also in the inbox if it is an invitation to sign', async () => {
    const email = newAddress('bounce+')
    const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier', email }] })
    await firm.owner('POST', `/api/v1/signing/envelopes/${envelope.id}/remind`)
    const { data } = await until(
      firm.owner,
      `/api/v1/correspondence?search=${encodeURIComponent(email)}`,
      (body) => body.data.length === 1,
      60,
    )

    const item = await bouncedItem(data[0].id)

    expect(item).toMatchObject({ state: 'open', notice: expect.stringContaining(email) })
  })
})

it('a list of mail is narrowed by direction, party and words of subject and addresses', async () => {
  // Prepare
  const by = await newFirm()
  const to = newAddress()
  const party_id = (
    await by.owner('POST', '/api/v1/parties', { body: { name: 'Max Müller', email: 'max@mueller.example' } })
  ).body.id
  await send(by.owner, { to: [to], subject: 'Kündigung Größe' })
  const received = await arrived(by, { subject: 'Kündigung' })
  const list = async (query: string) =>
    (await by.owner('GET', `/api/v1/correspondence?${query}`)).body.data.map((one: { id: string }) => one.id)

  // Assess
  expect(received.party_id).toBe(party_id)
  expect(await list('direction=inbound')).toEqual([received.id])
  expect(await list(`party_id=${party_id}&direction=inbound`)).toEqual([received.id])
  expect(await list('direction=inbound&search=kuendigung')).toEqual([received.id])
  expect(await list('search=mueller.example')).toEqual([received.id])
  expect(await list('direction=inbound&search=groesse')).toEqual([])
})
