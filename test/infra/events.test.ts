import { expect, test } from 'vitest'
import { beaSendQueue } from '#bea/sending/send-queue.ts'
import { beaSyncQueue } from '#bea/sync/sync-queue.ts'
import { mailEventQueue, receivedMailQueue } from '#correspondence/queues.ts'
import { documentQueue } from '#documents/read-queue.ts'
import { exportRunQueue } from '#exports/queue-schema.ts'
import { allEndpoints, manifest } from '#functions/manifest.ts'
import { arrivalQueue } from '#inbox/arrival-schema.ts'
import { envelopeMailQueue, sealQueue } from '#signing/queues.ts'
import { indexQueue } from '#text-search/wake-schema.ts'
import { deliveryQueue } from '#webhooks/deliveries/queue.ts'
import { ownerOf, sampleFiles } from './sample-events.ts'

const events = [...sampleFiles].map(([file, text]) => [file, JSON.parse(text)] as const)
const requests = events.filter(([, event]) => 'httpMethod' in event)

test('every function behind the API has a sample event whose file name begins with the function’s name', () => {
  for (const { name, endpoints } of manifest.filter((declaration) => declaration.endpoints)) {
    const served = new Set(Object.values(endpoints ?? {}).map(({ method, path }) => `${method} ${path}`))

    const samples = requests.filter(([file]) => ownerOf(file) === name)

    expect(samples.length, name).toBeGreaterThan(0)
    for (const [file, { httpMethod, resource }] of samples)
      expect(served.has(`${httpMethod} ${resource}`), file).toBe(true)
  }
})

test('the sample of a scheduled run is empty', () => {
  expect(Object.fromEntries(events)['schedule.json']).toEqual({})
})

test.each(requests)('%s is a request for an endpoint that exists, and its parts agree', (_, event) => {
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

test('a consumer has a sample of its messages', async () => {
  for (const { name, consumes } of manifest.filter((declaration) => declaration.consumes)) {
    const message = [
      exportRunQueue,
      arrivalQueue,
      beaSendQueue,
      beaSyncQueue,
      documentQueue,
      envelopeMailQueue,
      sealQueue,
      mailEventQueue,
      receivedMailQueue,
      indexQueue,
      deliveryQueue,
    ].find(({ queue }) => queue === consumes?.queue)
    const { Records } = Object.fromEntries(events)[`${name}-message.json`]

    expect(Records).toHaveLength(1)
    expect(Records[0].eventSource).toBe('aws:sqs')
    expect(message?.payload.safeParse(JSON.parse(Records[0].body)).success, name).toBe(true)
  }
})
