import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mailWebhook } from '#correspondence/mail-webhook.ts'
import { reception } from '#correspondence/reception.ts'
import { failureOf } from '#kernel/failure.ts'
import { receivedForms } from '#mail/received-form.ts'
import { now, receptionInMemory } from './in-memory-reception.ts'

/** The signature of the mail service's calls, with a clock and a key that the test sets (I1). */
const timestamp = String(now.getTime() / 1_000)

function webhook(key: string | undefined) {
  const said: string[] = []
  const memory = receptionInMemory({ 'kanzlei@in.example': 'ws_1' })
  const keys = { current: key }
  const calls = mailWebhook({
    checksSenders: true,
    reception: reception(memory.deps),
    forms: receivedForms,
    signingKey: async () => keys.current,
    clock: memory.deps.clock,
    log: { error: (message) => void said.push(message) },
  })
  return { ...memory, calls, said, keys }
}

const signed = (key: string, token = 'token', at = timestamp) => ({
  timestamp: at,
  token,
  signature: createHmac('sha256', key)
    .update(at + token)
    .digest('hex'),
})
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'admitted',
    (error: unknown) => failureOf(error)?.code ?? error,
  )

describe('the signing key', () => {
  it.each([undefined, ''])('that is %j refuses every call, and the log says what to do', async (key) => {
    const { calls, said } = webhook(key)

    expect(await codeOf(calls.admit(signed('')))).toBe('MAIL_SIGNATURE_INVALID')
    expect(said).toEqual([expect.stringContaining('mail signing-key set')])
  })

  it('is used as text, and a new one is valid at once', async () => {
    const { calls, keys } = webhook('key-as-text-ü')
    expect(await codeOf(calls.admit(signed('key-as-text-ü')))).toBe('admitted')

    keys.current = 'another'

    expect(await codeOf(calls.admit(signed('key-as-text-ü')))).toBe('MAIL_SIGNATURE_INVALID')
    expect(await codeOf(calls.admit(signed('another')))).toBe('admitted')
  })
})

describe('the time of a call', () => {
  it.each([
    [-301, 'MAIL_SIGNATURE_INVALID'],
    [-300, 'admitted'],
    [0, 'admitted'],
    [300, 'admitted'],
    [301, 'MAIL_SIGNATURE_INVALID'],
  ])('may be five minutes away in either direction: %i seconds', async (seconds, expected) => {
    const { calls } = webhook('key')
    const at = String(Number(timestamp) + seconds)

    expect(await codeOf(calls.admit(signed('key', 'token', at)))).toBe(expected)
  })

  it.each([
    '',
    'now',
    '1e9',
    ` ${timestamp}`,
    `${timestamp}.0`,
    `${timestamp}000`,
    `0x${timestamp}`,
    '-1',
  ])('is no other writing than that of seconds: %j', async (at) => {
    const { calls } = webhook('key')

    expect(await codeOf(calls.admit(signed('key', 'token', at)))).toBe('MAIL_SIGNATURE_INVALID')
  })
})

describe('a call', () => {
  it('keeps its token at least as long as its signature is valid', async () => {
    const { calls, tokens, deps } = webhook('key')
    const kept: string[] = []
    const receive = deps.store.receive
    deps.store.receive = (mail) => {
      kept.push(mail.token?.expires_at ?? '')
      return receive(mail)
    }
    const call = await calls.admit(signed('key'))

    await calls.accept(call, { fields: { from: 'a@b.example', to: 'kanzlei@in.example' }, files: [] })

    expect(kept.map((at) => Date.parse(at) - now.getTime())).toEqual([600_000])
    expect(tokens.size).toBe(1)
  })

  it('is the same call with its fields in another order, and another call with any other change', async () => {
    const { calls } = webhook('key')
    const call = await calls.admit(signed('key'))
    const fields = { from: 'a@b.example', to: 'kanzlei@in.example', a: ['1', '2'] }
    const accept = (changed: typeof fields) => calls.accept(call, { fields: changed, files: [] })

    const first = await accept(fields)

    expect(await accept({ a: ['1', '2'], to: fields.to, from: fields.from })).toEqual(first)
    expect(await codeOf(accept({ ...fields, a: ['2', '1'] }))).toBe('MAIL_SIGNATURE_INVALID')
  })
})
