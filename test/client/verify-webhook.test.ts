import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '#client/verify-webhook.ts'
import { describedEvents } from '#webhooks/catalogue-schema.ts'

/** The check of a message to a webhook (E8), against signatures made as Standard Webhooks 1.0.0 says. */

const secretBytes = randomBytes(32)
const secret = `whsec_${secretBytes.toString('base64')}`
const now = Date.UTC(2026, 10, 27, 8)
const id = 'wev_01993f5e-7c1b-7a40-8d53-1b6f9c2e7a08'
const body = JSON.stringify({
  type: 'party.created',
  timestamp: '2026-11-27T08:00:00.000Z',
  data: { id: 'pty_ü', case_id: null },
})

function signed({
  content = body,
  at = now,
  by = secretBytes,
}: {
  content?: string
  at?: number
  by?: Buffer
} = {}) {
  const timestamp = String(Math.floor(at / 1000))
  const signature = createHmac('sha256', by).update(`${id}.${timestamp}.${content}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

describe('a message to a webhook', () => {
  it.each(
    describedEvents().map(({ type, example }) => [type, example] as const),
  )('of %s is taken, and gives its event', async (_, example) => {
    const content = JSON.stringify(example)

    expect(await verifyWebhook(content, signed({ content }), secret, now)).toEqual(example)
  })

  it('is taken as text or bytes, with headers of any kind, and during a change of the secret', async () => {
    const other = randomBytes(32)
    const old = signed({ by: other })['webhook-signature']
    const headers = { ...signed(), 'webhook-signature': `v1a,x ${old} ${signed()['webhook-signature']}` }
    const capital = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]),
    )

    for (const given of [headers, capital, new Headers(signed())])
      expect(await verifyWebhook(Buffer.from(body), given, secret, now)).toEqual(JSON.parse(body))
    const secrets = [`whsec_${other.toString('base64')}`, secret]
    expect(await verifyWebhook(body, signed(), secrets, now)).toEqual(JSON.parse(body))
  })

  it('is taken up to five minutes from now, before and after', async () => {
    for (const seconds of [-300, 300])
      expect(await verifyWebhook(body, signed({ at: now + seconds * 1_000 }), secret, now)).toBeDefined()
    for (const seconds of [-301, 301])
      await expect(verifyWebhook(body, signed({ at: now + seconds * 1_000 }), secret, now)).rejects.toThrow(
        WebhookVerificationError,
      )
  })

  it.each([
    ['another body', body.replace('party', 'case'), signed()],
    ['another id', body, { ...signed(), 'webhook-id': 'wev_1' }],
    ['another time', body, { ...signed(), 'webhook-timestamp': String(now / 1000 + 1) }],
    ['a time that is no number', body, { ...signed(), 'webhook-timestamp': 'now' }],
    ['another secret', body, signed({ by: randomBytes(32) })],
    [
      'another version of the signature',
      body,
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2') },
    ],
    ['a signature that is no base64', body, { ...signed(), 'webhook-signature': 'v1,ü' }],
    ['an empty signature', body, { ...signed(), 'webhook-signature': 'v1,' }],
    ['no signature', body, { 'webhook-id': id, 'webhook-timestamp': String(now / 1000) }],
  ])('with %s is refused', async (_, content, headers) => {
    await expect(verifyWebhook(content, headers, secret, now)).rejects.toThrow(WebhookVerificationError)
  })

  it('is not checked with a secret that is none', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_ü'])
      await expect(verifyWebhook(body, signed(), wrong, now)).rejects.toThrow(TypeError)
  })
})
