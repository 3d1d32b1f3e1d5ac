import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allEndpoints, manifest } from '#functions/manifest.ts'

const events = readdirSync('events').map(
  (file) => [file, JSON.parse(readFileSync(`events/${file}`, 'utf8'))] as const,
)
const requests = events.filter(([, event]) => 'httpMethod' in event)

test('every function behind the API has a sample event that begins with its name', () => {
  for (const { name, endpoints } of manifest.filter((declaration) => declaration.endpoints)) {
    const served = new Set(Object.values(endpoints ?? {}).map(({ method, path }) => `${method} ${path}`))

    const samples = requests.filter(([file]) => file.startsWith(`${name}-`))

    expect(samples.length, name).toBeGreaterThan(0)
    for (const [file, { httpMethod, resource }] of samples)
      expect(served.has(`${httpMethod} ${resource}`), file).toBe(true)
  }
})

test('a scheduled run is given an empty event', () => {
  expect(Object.fromEntries(events)['schedule.json']).toEqual({})
})

test.each(
  requests,
)('%s is a request for an endpoint that exists, told the same in each place', (_, event) => {
  const { resource, httpMethod, pathParameters, requestContext } = event

  expect(allEndpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)).toContain(
    `${httpMethod} ${resource}`,
  )
  expect(requestContext).toMatchObject({ resourcePath: resource, httpMethod, path: event.path })
  expect(event.path).toBe(
    resource.replaceAll(/\{(\w+)\}/g, (_: string, name: string) => pathParameters[name]),
  )
  expect(Date.parse(requestContext.requestTime.replace(/^(\d+)\/(\w+)\/(\d+):/, '$1 $2 $3 '))).toBe(
    requestContext.requestTimeEpoch,
  )
  for (const [name, values] of Object.entries<string[]>(event.multiValueHeaders))
    expect(event.headers[name]).toBe(values.at(-1))
})
