import { afterAll, beforeAll, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

let service: Service
let caldav: Awaited<ReturnType<typeof startToyCaldav>>
beforeAll(async () => {
  service = await startService({
    environment: { SYNC_ALLOW_PRIVATE_NETWORKS: 'false' },
    commandLine: ['--empty'],
  })
  caldav = await startToyCaldav()
})
afterAll(async () => {
  caldav.stop()
  await service.stop()
})

it('where private networks are not allowed, no calendar in one can be connected', async () => {
  const key = service.credentials.workspaces[0]?.users[0]?.api_key
  const connect = async (url: string) => {
    const body = { provider: 'caldav', url, username: 'u', password: 'p' }
    const answer = await api(service.baseUrl, key)('POST', '/api/v1/calendar/sync/accounts', { body })
    return [answer.status, answer.body.error?.code]
  }

  const refused = [400, 'VALIDATION_ERROR']
  expect(await connect(caldav.url)).toEqual(refused)
  expect(await connect(caldav.url.replace('http:', 'https:'))).toEqual(refused)
  expect(await connect('https://localhost/')).toEqual(refused)
  expect(await connect('https://169.254.169.254/latest/meta-data/')).toEqual(refused)
  expect(await connect('https://[::ffff:10.0.0.1]/')).toEqual(refused)
  expect(await connect('https://[fd00:ec2::254]/')).toEqual(refused)
  expect(await connect('http://192.0.43.8/')).toEqual(refused)
})
