import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'

/**
 * A service whose firms may send four requests a second: a key two, and eight at once. Even a busy machine sends more
 * than that.
 */
let service: Service
beforeAll(async () => {
  service = await startService({
    // The demo data would use up a part of the allowances.
    commandLine: ['--empty'],
    environment: { ...process.env, RATE_LIMIT_PER_SECOND: '4' },
  })
})
afterAll(() => service.stop())

it('a key that sends too many requests is refused with Retry-After, and another firm is not', async () => {
  const [own, other] = service.credentials.workspaces
  const caller = api(service.baseUrl, own?.users[0]?.api_key)
  const colleague = api(service.baseUrl, own?.users[1]?.api_key)
  const stranger = api(service.baseUrl, other?.users[0]?.api_key)

  const answers = await Promise.all(Array.from({ length: 120 }, () => caller('GET', '/api/v1/cases')))

  const refused = answers.filter(({ status }) => status === 429)
  const fine = answers.filter(({ status }) => status === 200)
  expect(refused.length + fine.length).toBe(120)
  expect(fine.length).toBeGreaterThanOrEqual(7)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.body.error.code).toBe('RATE_LIMITED')
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  for (const { headers } of answers) {
    expect(headers.get('ratelimit-policy')).toBe('"firm";q=16;w=4, "key";q=8;w=4')
    expect(headers.get('ratelimit')).toMatch(/^"firm";r=\d+;t=\d+, "key";r=\d+;t=\d+$/)
  }
  expect((await colleague('GET', '/api/v1/cases')).status).toBe(200)
  expect((await stranger('GET', '/api/v1/cases')).status).toBe(200)
})

it('answers without a key have no allowance headers; errors of a request with a key have them', async () => {
  const stranger = api(service.baseUrl, service.credentials.workspaces[1]?.users[0]?.api_key)

  const [health, unknownKey, missing] = await Promise.all([
    fetch(`${service.baseUrl}/health`),
    api(service.baseUrl, undefined)('GET', '/api/v1/cases'),
    stranger('GET', '/api/v1/cases/case_00000000-0000-7000-8000-000000000000'),
  ])

  expect([health, unknownKey].map(({ headers }) => headers.get('ratelimit'))).toEqual([null, null])
  expect([unknownKey.status, missing.status]).toEqual([401, 404])
  expect(missing.headers.get('ratelimit')).toContain('"key";r=')
})
