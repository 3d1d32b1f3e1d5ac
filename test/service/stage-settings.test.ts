import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Api, api } from '#test/support/api.ts'
import { createEnvelope, envelopes, linkOf } from '#test/support/office-envelopes.ts'
import { newAddress, outbound } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { signMail } from '#test/support/signed-mail.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'
import { runAdminProcess } from '../admin/run-admin.ts'

/** A stage without a mail domain, which reaches no private networks, and whose mail service gets another key. */
let service: Service
let owner: Api
beforeAll(async () => {
  const environment = { MAIL_CONFIGURATION_SET: '', SYNC_ALLOW_PRIVATE_NETWORKS: 'false' }
  service = await startService({ commandLine: ['--empty'], environment })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterAll(() => service.stop())

const refusal = ({ status, body }: Awaited<ReturnType<Api>>) => [status, body.error?.code]

describe('on a stage that sends no mail', () => {
  it('an envelope that is to be mailed is refused as a direct send is, and nothing is stored', async () => {
    const mail = { to_recipients: [newAddress()], subject: 'Akte', idempotency_key: crypto.randomUUID() }
    const direct = await owner('POST', `${outbound}/send`, { body: mail })
    const ofCase = await createEnvelope(owner)
    const { id, case_id } = ofCase.body

    const created = await createEnvelope(owner, { case_id, send_emails: true })
    const sent = await owner('POST', `${envelopes}/${id}/send`, { body: { send_emails: true } })

    expect([direct, created, sent].map(refusal)).toEqual([
      [502, 'MAIL_NOT_SENT'],
      [502, 'MAIL_NOT_SENT'],
      [502, 'MAIL_NOT_SENT'],
    ])
    const { data } = (await owner('GET', `${envelopes}?case_id=${case_id}`)).body
    expect(data.map((one: { id: string; status: string }) => [one.id, one.status])).toEqual([[id, 'draft']])
  })

  it('faults of the request are refused before that', async () => {
    const draft = (await createEnvelope(owner)).body
    const unknown = await createEnvelope(owner, {
      case_id: crypto.randomUUID(),
      send_emails: true,
    })
    const reminded = await owner('POST', `${envelopes}/${draft.id}/remind`)

    expect([unknown, reminded].map(refusal)).toEqual([
      [404, 'CASE_NOT_FOUND'],
      [409, 'ENVELOPE_NOT_SENT'],
    ])
  })

  it('an envelope is signed and completed by links, reminders are refused, and no mail is left that cannot be sent', async () => {
    const { id, signers } = (await createEnvelope(owner)).body
    await owner('POST', `${envelopes}/${id}/send`, { body: { send_emails: false } })
    const { token } = await linkOf(owner, id, signers[0].id)
    const post = (form: string, fields: Record<string, string> = {}) =>
      fetch(`${service.baseUrl}/sign/${token}/${form}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })

    expect(refusal(await owner('POST', `${envelopes}/${id}/remind`))).toEqual([502, 'MAIL_NOT_SENT'])
    await post('open')
    const page = await (await fetch(`${service.baseUrl}/sign/${token}`)).text()
    expect(page).toContain('30 Tage lang unter diesem Link')
    expect(page).not.toContain('per E-Mail')
    await post('sign', { name: 'Anna Meier', consent: 'yes' })

    await expect
      .poll(async () => (await owner('GET', `${envelopes}/${id}`)).body, { timeout: 90_000, interval: 200 })
      .toMatchObject({ status: 'completed', signers: [{ delivery: null }] })
    expect(service.output()).not.toContain('message failed')
  })
})

it('where private networks are not allowed, no calendar in one can be connected', async () => {
  const caldav = await startToyCaldav()
  const connect = async (url: string) => {
    const body = { provider: 'caldav', url, username: 'u', password: 'p' }
    const answer = await owner('POST', '/api/v1/calendar/sync/accounts', { body })
    return [answer.status, answer.body.error?.code]
  }

  const toLocal = [await connect(caldav.url), await connect(caldav.url.replace('http:', 'https:'))]
  caldav.stop()

  const refused = [400, 'VALIDATION_ERROR']
  expect(toLocal).toEqual([refused, refused])
  expect(await connect('https://localhost/')).toEqual(refused)
  expect(await connect('https://169.254.169.254/latest/meta-data/')).toEqual(refused)
  expect(await connect('https://[::ffff:10.0.0.1]/')).toEqual(refused)
  expect(await connect('https://[fd00:ec2::254]/')).toEqual(refused)
  expect(await connect('http://192.0.43.8/')).toEqual(refused)
})

describe('npm run admin -- mail signing-key set', () => {
  const set = (input: string) =>
    runAdminProcess(['mail', 'signing-key', 'set'], { LOCAL_DATA_DIR: service.dataDir }, { input })
  const receive = (key: string): Promise<Answer> => {
    const recipient = service.credentials.workspaces[0]?.inbound_address ?? ''
    const raw = new URLSearchParams({ ...signMail({ key }), from: 'a@b.example', recipient })
    return api(service.baseUrl, undefined)('POST', '/api/v1/email/inbound', { raw })
  }

  it('replaces the key at once, reads it from its input and never shows it', async () => {
    const key = 'a-key-of-the-mail-service-0123456789'
    expect((await receive(service.credentials.mail_signing_key)).status).toBe(200)

    const { code, out, err } = await set(`${key}\n`)

    expect({ code, err, out: JSON.parse(out) }).toEqual({
      code: 0,
      err: '',
      out: { signing_key: 'set', characters: key.length },
    })
    expect([
      (await receive(key)).status,
      (await receive(service.credentials.mail_signing_key)).status,
    ]).toEqual([200, 401])
    expect(service.output()).not.toContain(key)
  })

  it.each(['', 'short', 'two words that are long enough', 'x'.repeat(501)])('refuses %j', async (input) => {
    const { code, err } = await set(input)

    expect([code, err]).toEqual([1, expect.stringContaining('16 to 500')])
  })
})
