import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Failure } from '#kernel/failure.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { writeAll } from '#store/batch.ts'
import { createClient } from '#store/client.ts'
import { counterEntity } from '#store/entities/counter.ts'
import { put, retryStale, Stale, transact } from '#store/transact.ts'
import { fakeDynamoDb, type Reaction } from '#test/support/fake-dynamodb.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.unstubAllEnvs()
})

async function storeThat(react: Parameters<typeof fakeDynamoDb>[0]) {
  const fake = await fakeDynamoDb(react)
  closing.push(fake.close)
  for (const [name, value] of Object.entries(fake.environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: 'aktenlage-test' }
  return { fake, db, counters: counterEntity(db) }
}

const get = new GetCommand({ TableName: 'aktenlage-test', Key: { pk: 'a', sk: 'b' } })
const counter = (series: string) => ({ workspace_id: 'ws_test', series, last: 1 })
const throttled: Reaction = { refusal: 'ProvisionedThroughputExceededException' }
const cancelled = (...codes: string[]): Reaction => ({
  refusal: 'TransactionCanceledException',
  more: { CancellationReasons: codes.map((Code) => ({ Code })) },
})

describe('a store that throttles', () => {
  it('is asked again until it answers', async () => {
    const { fake, db } = await storeThat((_, count) =>
      count < 3 ? throttled : { answer: { Item: { pk: { S: 'a' } } } },
    )

    const { Item } = await db.client.send(get)

    expect(Item).toEqual({ pk: 'a' })
    expect(fake.calls).toHaveLength(3)
  })

  it('for longer than the request has gives 503 with Retry-After, in time', async () => {
    const { db } = await storeThat(() => throttled)
    const startedAt = performance.now()

    const failure = await withTimeLimit(800, () => db.client.send(get)).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({
      kind: 'unavailable',
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: expect.any(Number),
    })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it.each([
    ['503 in HTML', 503, 'text/html', '<html><body><h1>503 Service Unavailable</h1></body></html>'],
    ['502 in text', 502, 'text/plain', 'Bad gateway'],
    ['504 without a body', 504, 'application/x-amz-json-1.0', ''],
    ['429 in HTML', 429, 'text/html', '<html></html>'],
  ])('whose proxy answers %s is 503, not 500', async (_name, status, type, body) => {
    const { db } = await storeThat(() => ({ status, type, body }))

    const failure = await withTimeLimit(1_500, () => db.client.send(get)).catch((error: unknown) => error)

    expect(failure).toMatchObject({ kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' })
  })

  it('in part of a batch gets that part again', async () => {
    const { fake, db, counters } = await storeThat(({ input }, count) => {
      const [table = '', requests = []] =
        Object.entries(input.RequestItems as Record<string, unknown[]>)[0] ?? []
      return { answer: { UnprocessedItems: count === 1 ? { [table]: requests.slice(1) } : {} } }
    })

    await writeAll(
      db,
      ['a', 'b', 'c'].map((series) => counters.put(counter(series))),
    )

    const sent = fake.calls.map(
      ({ input }) => (input.RequestItems as Record<string, unknown[]>)['aktenlage-test']?.length,
    )
    expect(sent).toEqual([3, 2])
  })
})

describe('a store that does not answer', () => {
  it('is given up when the time of the request is over', async () => {
    const { db } = await storeThat(() => undefined)

    const failure = await withTimeLimit(300, () => db.client.send(get)).catch((error: unknown) => error)

    expect(failure).toMatchObject({ kind: 'unavailable' })
  })

  it('is not asked at all once it is over', async () => {
    const { fake, db } = await storeThat(() => ({ answer: {} }))

    const failure = await withTimeLimit(-1, () => db.client.send(get)).catch((error: unknown) => error)

    expect(failure).toMatchObject({ kind: 'unavailable' })
    expect(fake.calls).toEqual([])
  })

  it('after taking a transaction gets it again under the same token, so that it happens once', async () => {
    const { fake, db, counters } = await storeThat((_, count) => (count === 1 ? 'drop' : { answer: {} }))

    await transact(db, [put(counters.create(counter('a')))])

    const tokens = fake.calls.map(({ input }) => input.ClientRequestToken)
    expect(tokens).toHaveLength(2)
    expect(tokens[0]).toBeTruthy()
    expect(tokens[1]).toBe(tokens[0])
  })
})

describe('a transaction', () => {
  it('that collides with another is tried again', async () => {
    const { fake, db, counters } = await storeThat((_, count) =>
      count < 4 ? cancelled('None', 'TransactionConflict') : { answer: {} },
    )

    await transact(db, [put(counters.create(counter('a'))), put(counters.create(counter('b')))])

    expect(fake.calls).toHaveLength(4)
  })

  it('whose condition does not hold throws what that means, also beside a collision', async () => {
    const { fake, db, counters } = await storeThat(() =>
      cancelled('TransactionConflict', 'ConditionalCheckFailed'),
    )
    const taken = new Failure('conflict', 'FILE_NUMBER_TAKEN', 'Taken.')

    const failure = await transact(db, [
      put(counters.create(counter('a'))),
      put(counters.create(counter('b')), () => taken),
    ]).catch((error: unknown) => error)

    expect(failure).toBe(taken)
    expect(fake.calls).toHaveLength(1)
  })

  it('that never gets through gives 503', async () => {
    const { db, counters } = await storeThat(() => cancelled('TransactionConflict'))

    const failure = await withTimeLimit(500, () => transact(db, [put(counters.create(counter('a')))])).catch(
      (error: unknown) => error,
    )

    expect(failure).toMatchObject({ kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' })
  })

  it('of more than a hundred actions is refused before it is sent', async () => {
    const { fake, db, counters } = await storeThat(() => ({ answer: {} }))
    const actions = Array.from({ length: 101 }, (_, index) => put(counters.create(counter(String(index)))))

    await expect(transact(db, actions)).rejects.toThrow('101')
    expect(fake.calls).toEqual([])
  })

  it('on what was read too early is begun again from the reading', async () => {
    let readings = 0

    const result = await retryStale(async () => {
      readings += 1
      if (readings < 3) throw new Stale()
      return 'done'
    })

    expect([result, readings]).toEqual(['done', 3])
  })
})

describe('the service on a store that throttles', () => {
  it('answers 503 in the envelope with Retry-After', async () => {
    const { fake } = await storeThat(() => throttled)
    vi.stubEnv('LOG_LEVEL', 'SILENT')
    vi.resetModules()
    const { handler } = await import('#functions/cases/index.ts')
    const event = {
      httpMethod: 'GET',
      resource: '/api/v1/cases',
      headers: { Authorization: `Bearer ak_01993f5e-2c18-7f0b-b5e6-7d3f9a2c4e05_${'a'.repeat(43)}` },
      requestContext: { requestId: 'request-1', stage: 'v1' },
      body: null,
      isBase64Encoded: false,
      pathParameters: null,
      multiValueQueryStringParameters: null,
    } as unknown as Parameters<typeof handler>[0]

    const answer = await handler(event, { getRemainingTimeInMillis: () => 2_000 } as Parameters<
      typeof handler
    >[1])

    expect(answer.statusCode).toBe(503)
    expect(answer.headers?.['Retry-After']).toBe('2')
    expect(JSON.parse(answer.body)).toEqual({
      error: { code: 'SERVICE_UNAVAILABLE', message: expect.any(String), request_id: 'request-1' },
    })
    expect(fake.calls.length).toBeGreaterThan(1)
  })
})
