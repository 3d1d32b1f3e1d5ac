import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { newWebhookSecret, signatureHeaders, signingKey } from '#webhooks/deliveries/signature.ts'

/** E3, E4: what a receiver can verify. */

it('a body is signed as the example of Standard Webhooks says', () => {
  const headers = signatureHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_999),
      body: '{"test": 2432232314}',
    },
    [signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
  )

  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('umlauts are signed as UTF-8, and after a rotation either secret verifies', () => {
  const [before, after] = [newWebhookSecret(), newWebhookSecret()]
  const delivery = { id: 'wev_1', at: new Date('2027-01-04T07:00:00Z'), body: '{"name":"Größl"}' }

  const { 'webhook-signature': signature } = signatureHeaders(delivery, [after, before].map(signingKey))

  const expected = [after, before].map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    return `v1,${hmac.update(Buffer.from(`wev_1.1799046000.${delivery.body}`, 'utf8')).digest('base64')}`
  })
  expect(signature).toBe(expected.join(' '))
})

it('a secret is 32 random bytes in base64 behind its prefix', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret)

  expect(new Set(secrets).size).toBe(100)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
  }
})
