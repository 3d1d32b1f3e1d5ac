import { constants, privateDecrypt, randomBytes, X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import type { Api } from '#test/support/api.ts'
import { beaGiven } from '#test/support/bea-given.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { opensslCms } from '#test/support/openssl-cms.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** Logins by card (B4), over HTTP: whoever holds the card signs and decrypts, and that is us here. */

type Relayed = { id: string; data: string }
type Card = { certificate_pem: string; private_key_pem: string }

const path = '/api/v1/bea/auth/local-login'
let firm: Firm
let card: Card
let safeId: string
let account_id: string

beforeAll(async () => {
  firm = await newFirm()
  const [, , given] = beaGiven(firm).certificates
  if (given?.private_key_pem === undefined) throw new Error('The demo network has no card.')
  const certificate = new X509Certificate(Buffer.from(given.certificate_base64, 'base64'))
  card = { certificate_pem: certificate.toString(), private_key_pem: given.private_key_pem }
  safeId = given.safe_id
  account_id = await beaGiven(firm).connect(2)
})

const call = (body: object, by: Api = firm.owner) => by('POST', path, { body })

const begin = async (by?: Api) => (await call({ account_id }, by)).body
const signed = (challenges: Relayed[], by: Card = card): Relayed[] =>
  challenges.map(({ id, data }) => ({ id, data: opensslCms(data, by) }))

const decrypted = (keys: Relayed[]): Relayed[] =>
  keys.map(({ id, data }) => {
    const how = { key: card.private_key_pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    return { id, data: privateDecrypt(how, Buffer.from(data, 'base64')).toString('base64') }
  })

/** After the second call: the wrapped keys. */
const begunAndSigned = async () => {
  const { login_id, challenges } = await begin()
  return (await call({ login_id, signatures: signed(challenges) })).body
}

/** Makes something happen in the network, without the gateway. */
async function control(command: object): Promise<void> {
  const answer = await fetch(new URL('control', sharedService().environment.BEA_GATEWAY_URL), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Puts messages of a court into the postbox of the card. */
const receive = (count: number) =>
  control({ seed: { to: safeId, from: safeIds.landgericht, subject: 'Ladung', count } })

const refusal = ({ status, body }: Awaited<ReturnType<Api>>) => [status, body.error?.code]
const certificateInvalid = [422, 'BEA_CERTIFICATE_INVALID']
const over = [401, 'BEA_NOT_AUTHENTICATED']

describe('a login by card', () => {
  it('is the only one for a card, and takes three calls to a session that reads the postbox', async () => {
    const { owner } = firm
    const before = (await owner('GET', `/api/v1/bea/accounts/${account_id}`)).body
    const alone = await owner('POST', '/api/v1/bea/auth/login', { body: { account_id } })
    const without = await owner('GET', `/api/v1/bea/accounts/${account_id}/folders`)

    const first = await begin()
    const second = (await call({ login_id: first.login_id, signatures: signed(first.challenges) })).body
    const third = await call({ login_id: second.login_id, keys: decrypted(second.keys) })
    const folders = await owner('GET', `/api/v1/bea/accounts/${account_id}/folders`)
    const after = (await owner('GET', `/api/v1/bea/accounts/${account_id}`)).body

    expect([before.kind, before.safe_id, before.certificate.thumbprint]).toEqual([
      'card',
      null,
      expect.stringMatching(/^[0-9a-f]{40}$/),
    ])
    expect(refusal(alone)).toEqual([409, 'BEA_LOCAL_LOGIN_REQUIRED'])
    expect(refusal(without)).toEqual(over)
    expect([first.step, second.step, second.login_id]).toEqual(['sign', 'decrypt', first.login_id])
    expect([third.status, third.body]).toEqual([
      200,
      { account_id, status: 'active', since: expect.any(String), expires_at: expect.any(String) },
    ])
    expect(folders.body.data.map(({ type }: { type: string }) => type)).toContain('INBOX')
    expect([after.safe_id, after.postbox_safe_id, after.status]).toEqual([safeId, safeId, 'connected'])
  })

  it.each([
    [
      'of another challenge',
      (challenges: Relayed[]) => signed(challenges.map((one) => ({ ...one, data: 'x' }))),
    ],
    [
      'that are none',
      (challenges: Relayed[]) => challenges.map(({ id }) => ({ id, data: 'keine Signatur' })),
    ],
    [
      'in the wrong order',
      (challenges: Relayed[]) => {
        const [one, two] = signed(challenges)
        return [
          { id: one?.id ?? '', data: two?.data ?? '' },
          { id: two?.id ?? '', data: one?.data ?? '' },
        ]
      },
    ],
    ['of one challenge alone', (challenges: Relayed[]) => signed(challenges.slice(0, 1))],
  ])('is 422 for signatures %s, and is used up', async (_, sign) => {
    const { login_id, challenges } = await begin()

    const wrong = await call({ login_id, signatures: sign(challenges) })
    const again = await call({ login_id, signatures: signed(challenges) })

    expect(refusal(wrong)).toEqual(certificateInvalid)
    expect(wrong.body.error.message).toMatch(/signature of ".+" does not match the certificate/)
    expect(refusal(again)).toEqual(over)
  })

  it.each([
    ['another key', () => randomBytes(32).toString('base64')],
    ['a key that is too short', () => randomBytes(16).toString('base64')],
    ['no base64', () => 'kein Schlüssel'],
    ['nothing', () => ''],
  ])('is 422 for %s instead of the decrypted ones, and is used up', async (_, key) => {
    const { login_id, keys } = await begunAndSigned()

    const wrong = await call({ login_id, keys: keys.map(({ id }: Relayed) => ({ id, data: key() })) })
    const again = await call({ login_id, keys: decrypted(keys) })

    expect(refusal(wrong)).toEqual(certificateInvalid)
    expect(wrong.body.error.message.length).toBeGreaterThan(20)
    expect(refusal(again)).toEqual(over)
  })

  it('with another session key is noticed by the first synchronisation, which ends the session and says what is wrong', async () => {
    const { owner } = firm
    await receive(2)
    const { login_id, keys } = await begunAndSigned()
    const mistaken = decrypted(keys).map((one) =>
      one.id === 'session_key' ? { ...one, data: randomBytes(32).toString('base64') } : one,
    )

    const login = await call({ login_id, keys: mistaken })
    await owner('POST', `/api/v1/bea/accounts/${account_id}/sync`)
    const failed = await vi.waitFor(
      async () => {
        const { last_sync } = (await owner('GET', `/api/v1/bea/accounts/${account_id}`)).body
        expect(last_sync.status).toBe('failed')
        return last_sync
      },
      { timeout: 60_000, interval: 250 },
    )
    const folders = await owner('GET', `/api/v1/bea/accounts/${account_id}/folders`)
    const second = await begunAndSigned()
    const again = await call({ login_id: second.login_id, keys: decrypted(second.keys) })

    expect(login.status).toBe(200)
    expect(failed.error).toContain('`session_key`')
    expect(refusal(folders)).toEqual(over)
    expect(again.body.status).toBe('active')
  })

  it('goes on only at its step, and only for the user who began', async () => {
    const { login_id, challenges } = await begin()
    const signatures = signed(challenges)
    const { api: colleague } = await firm.colleague()

    const tooEarly = await call({ login_id, keys: signatures })
    const foreign = await call({ login_id, signatures }, colleague)
    const right = await call({ login_id, signatures })

    expect([refusal(tooEarly), refusal(foreign), right.status]).toEqual([over, over, 200])
  })
})

describe('a card that the network has locked', () => {
  const status = async () => (await firm.owner('GET', `/api/v1/bea/accounts/${account_id}`)).body.status

  it('shows it in the status of its account until somebody logs in again', async () => {
    const begun = await begin()
    await control({ lock: safeId })
    const locked = await call({ login_id: begun.login_id, signatures: signed(begun.challenges) })
    const meanwhile = await status()
    await control({ unlock: safeId })
    const before = await status()
    const { login_id, keys } = await begunAndSigned()
    await call({ login_id, keys: decrypted(keys) })

    expect(refusal(locked)).toEqual([403, 'BEA_ACCOUNT_LOCKED'])
    expect([meanwhile, before, await status()]).toEqual(['locked', 'locked', 'connected'])
  })

  it.each([
    'bex_login_step1',
    'bex_login_step2',
    'bex_login_step3',
  ])('shows it whichever step the network refuses: %s', async (name) => {
    const fault = { function: name, fault: 'locked' }
    if (name === 'bex_login_step1') await control(fault)
    const first = await call({ account_id })
    if (name === 'bex_login_step2') await control(fault)
    const { login_id, challenges = [] } = first.body
    const second = await call({ login_id, signatures: signed(challenges) })
    if (name === 'bex_login_step3') await control(fault)
    const third = await call({ login_id, keys: decrypted(second.body.keys ?? []) })

    expect([first, second, third].map(({ status }) => status)).toContain(403)
    expect(await status()).toBe('locked')
  })
})
