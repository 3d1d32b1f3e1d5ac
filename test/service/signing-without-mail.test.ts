import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, api } from '#test/support/api.ts'
import { createEnvelope, envelopes, linkOf } from '#test/support/office-envelopes.ts'
import { newAddress, outbound } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'

/** A stage that sends no mail: it has no mail domain. */
let service: Service
let owner: Api
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], environment: { MAIL_CONFIGURATION_SET: '' } })
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
