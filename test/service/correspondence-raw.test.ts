import { beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '#kernel/id.ts'
import { deliverMessage, messageOf } from '#test/support/arriving-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send, sentTo } from '#test/support/sent-mail.ts'
import { sendEnvelope } from '#test/support/signing.ts'

/** The whole message of a mail (I2). */

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const rawOf = (id: string) => `/api/v1/correspondence/${id}/raw`

async function sentMail(subject = 'Kündigung: „Müller/Söhne“') {
  const to = newAddress()
  const { id } = (await send(firm.owner, { to: [to], subject })).body
  const [mail] = await sentTo(to)
  if (mail === undefined) throw new Error('Nothing was sent.')
  return { id: id as string, raw: mail.raw }
}

describe('the message of a mail that was sent', () => {
  it('is downloaded byte for byte, as an attachment that no browser runs', async () => {
    const { id, raw } = await sentMail()

    const answer = await firm.owner('GET', rawOf(id))

    expect(answer.status).toBe(200)
    expect(Buffer.from(answer.bytes).equals(raw)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'message/rfc822',
      'content-length': String(raw.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const disposition = answer.headers.get('content-disposition') ?? ''
    expect(disposition).toMatch(/^attachment; filename="[ -~]+\.eml"; filename\*=UTF-8''/)
    expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toBe('Kündigung „Müller Söhne“.eml')
  })

  it('is given in parts, and not again to who has it', async () => {
    const { id, raw } = await sentMail()
    const etag = (await firm.owner('GET', rawOf(id))).headers.get('etag') ?? ''

    const part = await firm.owner('GET', rawOf(id), { headers: { Range: 'bytes=10-19' } })
    const beyond = await firm.owner('GET', rawOf(id), { headers: { Range: `bytes=${raw.length}-` } })
    const again = await firm.owner('GET', rawOf(id), { headers: { 'If-None-Match': etag } })

    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${raw.length}`])
    expect(Buffer.from(part.bytes).equals(raw.subarray(10, 20))).toBe(true)
    expect([beyond.status, beyond.body.error.code]).toEqual([416, 'RANGE_NOT_SATISFIABLE'])
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  it('is found with an id without its prefix', async () => {
    const { id } = await sentMail()

    expect((await firm.owner('GET', rawOf(id.slice('corr_'.length)))).status).toBe(200)
  })

  it('without a subject has a name all the same', async () => {
    const { id } = await sentMail('???')

    expect((await firm.owner('GET', rawOf(id))).headers.get('content-disposition')).toContain('"E-Mail.eml"')
  })

  it('does not exist for another firm, nor for an id of nothing', async () => {
    const { id } = await sentMail()

    const answers = [
      await stranger.owner('GET', rawOf(id)),
      await firm.owner('GET', rawOf(newId('correspondence'))),
      await firm.owner('GET', rawOf('nichts')),
    ]

    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.message])).toEqual(
      Array(3).fill([
        404,
        'CORRESPONDENCE_NOT_FOUND',
        'There is no correspondence with this id in your workspace.',
      ]),
    )
  })

  it('with a magic link is shown to nobody: the link is for its recipient alone', async () => {
    // Prepare
    const email = newAddress()
    const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier', email }] })
    const path = `/api/v1/signing/envelopes/${envelope.id}/remind`
    await firm.owner('POST', path)
    const [mail] = await vi.waitFor(
      async () => {
        const list = await firm.owner('GET', `/api/v1/correspondence?search=${encodeURIComponent(email)}`)
        expect(list.body.data).toHaveLength(1)
        return list.body.data
      },
      { timeout: 90_000, interval: 200 },
    )

    // Act
    const answer = await firm.owner('GET', rawOf(mail.id))

    // Assess
    await vi.waitFor(async () => expect((await sentTo(email))[0]?.raw.toString()).toContain('/sign/'), {
      timeout: 90_000,
      interval: 200,
    })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'CORRESPONDENCE_NOT_FOUND'])
  })
})

it('the message of a mail that was received is the one that arrived, byte for byte, at once', async () => {
  const subject = 'Rückfrage zur Akte'
  const attachments = [{ filename: 'Größe.bin', content: Buffer.from([0, 255, 13, 10, 46, 13, 10]) }]
  const raw = await messageOf({ from: 'max@mueller.example', subject, attachments })
  const id = await deliverMessage(firm, raw)

  const answer = await firm.owner('GET', rawOf(id))

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'message/rfc822'])
  expect(Buffer.from(answer.bytes).equals(raw)).toBe(true)
  expect((await stranger.owner('GET', rawOf(id))).status).toBe(404)
})
