import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { installStreaming } from '#infra/local/response-stream.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { interceptStoreCalls } from '#test/bench/store-calls.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { runSign } from '#test/support/sign-function.ts'
import { sendEnvelope } from '#test/support/signing.ts'

const storeCalls = interceptStoreCalls()

let firm: Firm
beforeAll(async () => {
  installStreaming()
  firm = await newFirm()
  process.env.LOG_LEVEL = 'info'
})
afterEach(() => {
  vi.restoreAllMocks()
})

it('no token, digest of a token, access code or cookie of a link gets into the log, whatever becomes of the request (S5)', async () => {
  // Prepare
  const access_code = 'Ahorn-27-geheim'
  const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier', access_code }] })
  const replaced = await envelope.link()
  const token = await envelope.link()
  const unknown = `unbekannt${token.slice(9)}`
  const lines: string[] = []
  const keep = (line: unknown) => lines.push(String(line)) > 0
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  const post = (form: string, fields: Record<string, string>, cookie?: string) =>
    runSign(`/sign/{token}/${form}`, { token }, { form: fields, cookie })
  const page = (of: string) => runSign('/sign/{token}', { token: of })

  // Act
  const statuses = [(await page(unknown)).statusCode, (await page(replaced)).statusCode]
  statuses.push((await page(token)).statusCode)
  statuses.push((await post('access', { code: 'falsch-geheim' })).statusCode)
  const { setCookie = '' } = await post('access', { code: access_code })
  statuses.push((await post('open', {}, setCookie)).statusCode)
  statuses.push((await post('sign', {}, setCookie)).statusCode)
  const failed = await storeCalls.replay([], () => page(token))
  statuses.push(failed.statusCode)
  statuses.push((await post('decline', { reason: 'Nein.' }, setCookie)).statusCode)
  statuses.push((await page(token)).statusCode)
  vi.restoreAllMocks()

  // Assess
  expect(statuses).toEqual([404, 404, 200, 422, 303, 422, 500, 303, 410])
  const log = lines.join('\n')
  expect(lines.filter((line) => line.includes('"resource":"/sign/{token}'))).not.toEqual([])
  for (const status of statuses) expect(log).toContain(`"status":${status}`)
  const cookie = setCookie.split('=')[1]
  expect(cookie).toMatch(/^[\w-]{43}$/)
  const secrets = [token, replaced, unknown, access_code, 'falsch-geheim', cookie ?? '']
  const found = secrets
    .flatMap((secret) => [secret, hexDigest(secret), encodeURIComponent(secret)])
    .filter((secret) => log.includes(secret))
  expect(found).toEqual([])
})
