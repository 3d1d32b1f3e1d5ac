import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'
import { signMail } from '#test/support/signed-mail.ts'
import { runAdmin } from './run-admin.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'] })
})
afterAll(() => service.stop())

const set = (input: string) =>
  runAdmin(['mail', 'signing-key', 'set'], { LOCAL_DATA_DIR: service.dataDir }, { input })
const receive = (key: string): Promise<Answer> => {
  const recipient = service.credentials.workspaces[0]?.inbound_address ?? ''
  const raw = new URLSearchParams({ ...signMail({ key }), from: 'a@b.example', recipient })
  return api(service.baseUrl, undefined)('POST', '/api/v1/email/inbound', { raw })
}

describe('mail signing-key set', () => {
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
