import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, sentTo } from '#test/support/sent-mail.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const fifty = <Result>(ask: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 50 }, (_, at) => ask(at)))

/** Every answer equals the answer of the first success, or says that the mail is being sent. */
function expectOneAnswer(answers: Answer[], last: Answer): void {
  expect(last.status).toBe(200)
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  for (const { status, body } of answers) {
    if (status === 409) expect(body.error.code).toBe('SEND_IN_PROGRESS')
    else expect([status, body]).toEqual([200, last.body])
  }
}

describe('fifty requests at once', () => {
  it('with one key are one mail and one answer', async () => {
    const to = newAddress()
    const body = { to_recipients: [to], subject: 'Einmal', idempotency_key: crypto.randomUUID() }
    const ask = () => firm.owner('POST', `${outbound}/send`, { body })

    const answers = await fifty(ask)

    const last = await ask()
    expectOneAnswer(answers, last)
    for (const { status, body: again } of await fifty(ask)) expect([status, again]).toEqual([200, last.body])
    expect(await sentTo(to)).toHaveLength(1)
    const { data } = (await firm.owner('GET', `/api/v1/correspondence?search=${to}`)).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['sent'])
  })

  it('with a key each are fifty mails', async () => {
    const to = newAddress()
    const body = () => ({ to: [to], subject: 'Jede', idempotency_key: crypto.randomUUID() })
    const deliver = async (mail: object): Promise<Answer> => {
      const asking = firm.owner('POST', `${outbound}/send`, { body: mail })
      const answer = await asking.catch(() => undefined)
      // As callers do if a busy machine took too long: the same key again.
      return answer?.status === 200 ? answer : sleep(500).then(() => deliver(mail))
    }

    const answers = await fifty(() => deliver(body()))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const sent = await sentTo(to)
    expect(sent).toHaveLength(50)
    expect(new Set(sent.map(({ envelope }) => `${envelope.tags.correspondence}`))).toEqual(
      new Set(answers.map(({ body: { id } }) => id)),
    )
  })

  it('that send one draft are one mail and one answer', async () => {
    const to = newAddress()
    const { id } = (await firm.owner('POST', `${outbound}/drafts`, { body: { to: [to], subject: 'Einmal' } }))
      .body
    const ask = () => firm.owner('POST', `${outbound}/drafts/${id}/send`)

    const answers = await fifty(ask)

    expectOneAnswer(answers, await ask())
    expect(await sentTo(to)).toHaveLength(1)
    expect((await firm.owner('GET', `${outbound}/drafts/${id}`)).body.status).toBe('sent')
  })

  it('that change a draft or delete it while it is sent leave one mail, of one state that was stored', async () => {
    // Prepare
    const to = newAddress()
    const path = `${outbound}/drafts/${(await firm.owner('POST', `${outbound}/drafts`, { body: { to: [to], subject: 'Stand 0', body_html: '<p>Stand 0</p>' } })).body.id}`

    // Act
    const answers = await fifty((at) => {
      if (at % 5 === 0) return firm.owner('POST', `${path}/send`)
      if (at === 49) return firm.owner('DELETE', path)
      const text = `Stand ${at}`
      return firm.owner('PUT', path, { body: { subject: text, body_html: `<p>${text}</p>` } })
    })

    // Assess
    const [sent, ...more] = await sentTo(to)
    expect(more).toEqual([])
    const isDeleted = answers[49]?.status === 204
    expect(sent === undefined).toBe(isDeleted)
    if (isDeleted) return
    expect(sent?.mail.html).toContain(`<p>${sent?.mail.subject}</p>`)
    const last = (await firm.owner('GET', path)).body
    expect([last.status, last.subject, last.body_html]).toEqual([
      'sent',
      sent?.mail.subject,
      `<p>${sent?.mail.subject}</p>`,
    ])
  })
})
