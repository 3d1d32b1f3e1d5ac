import { beforeAll, describe, expect, it } from 'vitest'
import { arrived, deliver, filed, inboxOf, mailEntries, newCase } from '#test/support/arriving-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo } from '#test/support/sent-mail.ts'

/** Answers to mail of ours find its case (I5, M4). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const post = (path: string, body: unknown) => firm.owner('POST', `${outbound}/${path}`, { body })
const reply = (correspondence_id: string) => post('reply-envelope', { correspondence_id })

describe('an answer to mail of ours', () => {
  it.each([
    ['by the id that we gave it', 'messageId'],
    ['also with another subject', 'subject'],
  ])('finds its case by the thread, %s', async (_, how) => {
    // Prepare
    const [to, case_id] = [newAddress(), await newCase(firm)]
    await send(firm.owner, { to: [to], subject: 'Entwurf', case_id })
    const [message] = await sentTo(to)
    const inReplyTo = message?.mail.messageId ?? ''

    // Act
    const subject = how === 'subject' ? 'Etwas ganz anderes' : 'AW: Entwurf'
    const id = await deliver(firm, { from: to, subject, inReplyTo, references: [inReplyTo] })

    // Assess
    const mail = await filed(firm, id)
    expect(mail.case_id).toBe(case_id)
    expect(mail.triage.case_suggestions[0].evidence[0]).toMatchObject({ kind: 'thread' })
    expect((await mailEntries(firm, case_id)).map(({ type, ref }) => [type, ref.id === id])).toEqual([
      ['mail.sent', false],
      ['mail.filed', true],
    ])
    expect((await inboxOf(firm)).some((item) => item.id === id)).toBe(false)
  })

  it('finds its case by the message id that the provider uses instead of ours', async () => {
    const [to, case_id] = [newAddress(), await newCase(firm)]
    const sent = await send(firm.owner, { to: [to], case_id })
    const { message_id } = (await firm.owner('GET', `/api/v1/correspondence/${sent.body.id}`)).body
    const reply = (await post('reply-envelope', { correspondence_id: sent.body.id })).body
    await firm.owner('POST', `${outbound}/drafts/${reply.id}/send`)
    const provided = (await sentTo(to))[1]?.mail.references
      ?.split(' ')
      .find((one) => one.includes(message_id))

    const id = await deliver(firm, { from: to, subject: 'Danke', inReplyTo: provided ?? '' })

    expect(provided).toBeDefined()
    expect((await filed(firm, id)).case_id).toBe(case_id)
  })

  it('to a reply of ours to a mail that was filed finds the case of that mail', async () => {
    // Prepare
    const from = newAddress()
    const [mail, case_id] = [await arrived(firm, { from }), await newCase(firm)]
    await firm.owner('POST', `/api/v1/inbox/${mail.id}/file`, { body: { case_id } })
    const draft = await reply(mail.id)
    await firm.owner('POST', `${outbound}/drafts/${draft.body.id}/send`)
    const [message] = await sentTo(from)

    // Act
    const id = await deliver(firm, {
      from,
      subject: 'Noch eine Frage',
      inReplyTo: message?.mail.messageId ?? '',
    })

    // Assess
    expect((await filed(firm, id)).case_id).toBe(case_id)
  })
})
