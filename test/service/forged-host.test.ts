import { request } from 'node:http'
import { expect, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

it("addresses in answers are the service's own, whatever host and scheme a caller names", async () => {
  const firm = await newFirm()
  const { key } = await firm.colleague()
  const baseUrl = sharedService().baseUrl

  const webhooks = await forged('GET', '/api/v1/workspace/webhooks', key)
  const token = await forged('POST', '/api/v1/calendar/ical-tokens', key)
  const document = await forged('GET', '/api/v1/openapi.json', key)

  expect(webhooks.url).toMatch(new RegExp(`^${baseUrl}/webhooks/`))
  expect(token.url).toMatch(new RegExp(`^${baseUrl}/api/v1/calendar/feed.ics`))
  expect(document.servers).toEqual([{ url: baseUrl }])
})

/** Asks with headers that name another host. */
// biome-ignore lint/suspicious/noExplicitAny: the test looks into answers whose shape it states itself
async function forged(method: string, path: string, key: string): Promise<any> {
  const { hostname, port } = new URL(sharedService().baseUrl)
  const headers = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    Forwarded: 'host=evil.example;proto=https',
    Authorization: `Bearer ${key}`,
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ method, hostname, port, path, headers }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    answer.on('end', () => resolve(text)).on('error', reject)
  })
    .on('error', reject)
    .end()
  return JSON.parse(await promise)
}
