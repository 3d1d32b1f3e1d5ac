import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { auditEvent } from '#audit/schema.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { timestamp } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { writeAll } from '#store/batch.ts'
import { createClient } from '#store/client.ts'
import { counterEntity } from '#store/counter-entity.ts'
import type { Cursors } from '#store/cursor.ts'
import { put, retryStale, Stale, transact } from '#store/transact.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { type Call, fakeDynamoDb, type Reaction } from '#test/support/fake-dynamodb.ts'
import type { KeyRecord } from '#workspace/ports.ts'

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
  ])('leads to 503, not 500, if its proxy answers %s', async (_name, status, type, body) => {
    const { db } = await storeThat(() => ({ status, type, body }))

    const failure = await withTimeLimit(600, () => db.client.send(get)).catch((error: unknown) => error)

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

  it('and then reports a collision gets it under the same token still: the first may arrive late', async () => {
    const { fake, db, counters } = await storeThat((_, count) =>
      count === 1 ? 'drop' : count === 2 ? cancelled('TransactionConflict') : { answer: {} },
    )

    await transact(db, [put(counters.create(counter('a')))])
    await transact(db, [put(counters.create(counter('b')))])

    const [first, second, third, other] = fake.calls.map(({ input }) => input.ClientRequestToken)
    expect([second, third]).toEqual([first, first])
    expect(other).not.toBe(first)
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

  it('throws the failure of a condition that does not hold, even beside a collision', async () => {
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

  it('on a stale read starts again with a new read', async () => {
    let readings = 0

    const result = await retryStale(async () => {
      readings += 1
      if (readings < 3) throw new Stale()
      return 'done'
    })

    expect([result, readings]).toEqual(['done', 3])
  })
})

/** The answer to a caller, and whether it asks to send the request again. */
// Time that runs out in the middle of an attempt makes its outcome unknown: on a busy machine, any of these.
describe('a store that fails a change says', { retry: 3 }, () => {
  const unknown = 'It is not known whether the change was made'
  const unchanged = 'Nothing was changed: try again'
  const fault: Reaction = { refusal: 'InternalServerError', status: 500 }
  const refused: Reaction = { refusal: 'ValidationException' }

  const told = async (react: Parameters<typeof fakeDynamoDb>[0], work: Work, milliseconds = 600) => {
    const { fake, db, counters } = await storeThat(react)
    const write = () => transact(db, [put(counters.create(counter('a')))])
    const read = () => db.client.send(get)
    const failure = await withTimeLimit(milliseconds, () => work({ write, read, close: fake.close })).catch(
      (error: unknown) => error,
    )
    const { message, retryAfterSeconds } = failure as Failure
    return { message, sendAgain: retryAfterSeconds !== undefined }
  }
  type Work = (store: {
    write: () => Promise<unknown>
    read: () => Promise<unknown>
    close: () => void
  }) => Promise<unknown>
  const isWrite = ({ operation }: Call) => operation === 'TransactWriteItems'

  it.each<[string, (call: Call, count: number) => Reaction]>([
    ['its answer is always lost', () => 'drop'],
    ['it never answers', () => undefined],
    ['it answers with a fault of its own', () => fault],
    ['its answer is lost once, and then it is throttled', (_, count) => (count === 1 ? 'drop' : throttled)],
  ])('that the outcome is unknown where %s', async (_, react) => {
    const { message, sendAgain } = await told(react, ({ write }) => write())

    expect(message).toContain(unknown)
    expect(sendAgain).toBe(false)
  })

  it.each<[string, (call: Call, count: number) => Reaction]>([
    ['it is throttled', () => throttled],
    ['it always collides', () => cancelled('TransactionConflict')],
  ])('that nothing was changed where %s', async (_, react) => {
    const { message, sendAgain } = await told(react, ({ write }) => write())

    expect(message).toContain(unchanged)
    expect(sendAgain).toBe(true)
  })

  it('that nothing was changed where nobody listens', async () => {
    const { message, sendAgain } = await told(
      () => 'drop',
      ({ write, close }) => {
        close()
        return write()
      },
    )

    expect([message, sendAgain]).toEqual([expect.stringContaining(unchanged), true])
  })

  it('that nothing was changed where its name is not known, as when the network is gone', async () => {
    await storeThat(() => undefined)
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://table.invalid')
    const db = { client: createClient(), table: 'aktenlage-test' }

    const failure = await withTimeLimit(20_000, () =>
      transact(db, [put(counterEntity(db).create(counter('a')))]),
    ).catch((error: unknown) => error)

    expect(failure).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(unchanged),
      retryAfterSeconds: expect.any(Number),
    })
  })

  it('that nothing was changed where the time was over before it was asked', async () => {
    const { message, sendAgain } = await told(
      () => 'drop',
      ({ write }) => write(),
      -1,
    )

    expect([message, sendAgain]).toEqual([expect.stringContaining(unchanged), true])
  })

  it('that the outcome is unknown where reading fails after a change', async () => {
    const { message, sendAgain } = await told(
      (call) => (isWrite(call) ? { answer: {} } : throttled),
      ({ write, read }) => write().then(read),
    )

    expect([message, sendAgain]).toEqual([expect.stringContaining(unknown), false])
  })

  it('that nothing was changed where reading fails before, or after a change that was refused', async () => {
    const react = (call: Call) => (isWrite(call) ? refused : throttled)
    const before = await told(react, ({ read }) => read())
    const after = await told(react, ({ write, read }) => write().catch(read))

    expect([before.message, after.message]).toEqual([
      expect.stringContaining(unchanged),
      expect.stringContaining(unchanged),
    ])
  })

  it('that nothing was changed where only bookkeeping was done, or its answer was lost', async () => {
    const react = (call: Call, count: number) =>
      isWrite(call) ? (count === 1 ? { answer: {} } : ('drop' as const)) : throttled
    const done = await told(react, ({ write, read }) => bookkeeping(write).then(read))
    const lost = await told(
      () => 'drop',
      ({ write }) => bookkeeping(write),
    )

    expect([done.message, lost.message]).toEqual([
      expect.stringContaining(unchanged),
      expect.stringContaining(unchanged),
    ])
  })

  it('that nothing was changed where the first use of a key could not be recorded', async () => {
    const { db } = await storeThat((call) => (isWrite(call) ? 'drop' : { answer: { Items: [] } }))
    const key = { id: 'ak_1', last_used_at: null } as KeyRecord
    const audit = auditEvent({ workspace_id: 'ws_test' }, 'key.first_used', 'api_key', key.id)

    const failure = await withTimeLimit(600, () =>
      keyStore(db, {} as Cursors).touch(key, timestamp(), timestamp(), audit),
    ).catch((error: unknown) => error)

    expect(failure).toMatchObject({
      message: expect.stringContaining(unchanged),
      retryAfterSeconds: expect.any(Number),
    })
  })

  it('of one request nothing that belongs to another', async () => {
    const { db, counters } = await storeThat((call) => (isWrite(call) ? { answer: {} } : throttled))
    const write = () => transact(db, [put(counters.create(counter('a')))])

    const [, failure] = await Promise.all([
      withTimeLimit(600, write),
      withTimeLimit(600, () => db.client.send(get)).catch((error: unknown) => error),
    ])

    expect((failure as Failure).message).toContain(unchanged)
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
