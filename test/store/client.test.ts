import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { createClient } from '#store/client.ts'
import { fakeDynamoDb } from '#test/support/fake-dynamodb.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

test('the client leaves out unused middleware, which the SDK still calls by these names', () => {
  const leftOut = /loggerMiddleware|getUserAgentMiddleware/
  const usual = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))

  expect(usual.middlewareStack.identify().filter((name) => leftOut.test(name))).toHaveLength(2)
  expect(
    createClient()
      .middlewareStack.identify()
      .filter((name) => leftOut.test(name)),
  ).toEqual([])
})

test.each([
  ['is repeated', 1_000, 6],
  ['is not repeated by a process that was frozen for a minute meanwhile', 60_000, 1],
])('a write without an answer %s', async (_, frozenMilliseconds, attempts) => {
  // Prepare
  vi.useFakeTimers({ toFake: ['Date'] })
  let received = 0
  const table = createServer((request) => {
    received += 1
    vi.setSystemTime(epochMilliseconds() + frozenMilliseconds)
    request.socket.destroy()
  })
  await once(table.listen(0, '127.0.0.1'), 'listening')
  const { port } = table.address() as AddressInfo
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')

  // Act
  const written = createClient().send(new PutCommand({ TableName: 'akte', Item: { pk: '1', sk: '1' } }))

  // Assess
  await expect(written).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(received).toBe(attempts)
  table.close()
})

test.each([
  ['is repeated', 1, 'done'],
  ['is answered 503 if that goes on', 100, 'SERVICE_UNAVAILABLE'],
])('a write of an item that a transaction is changing %s', async (_, conflicts, outcome) => {
  // Prepare
  const table = await fakeDynamoDb((_call, count) =>
    count <= conflicts ? { refusal: 'TransactionConflictException' } : { answer: {} },
  )
  for (const [name, value] of Object.entries(table.environment)) vi.stubEnv(name, value)

  // Act
  const written = createClient().send(new PutCommand({ TableName: 'akte', Item: { pk: '1', sk: '1' } }))

  // Assess
  expect(
    await written.then(
      () => 'done',
      (error) => error.code ?? error.name,
    ),
  ).toBe(outcome)
  table.close()
})

test('a read whose answer stops after its headers is repeated', async () => {
  const table = await fakeDynamoDb((_call, count) => (count === 1 ? 'stop' : { answer: { Item: {} } }))
  for (const [name, value] of Object.entries(table.environment)) vi.stubEnv(name, value)
  const get = new GetCommand({ TableName: 'akte', Key: { pk: '1', sk: '1' } })

  const answer = await withTimeLimit(20_000, () => createClient().send(get))

  expect(answer.Item).toEqual({})
  expect(table.calls).toHaveLength(2)
  table.close()
})

test('a write whose answer breaks off after its headers may have been made', async () => {
  const table = await fakeDynamoDb(() => 'break off')
  for (const [name, value] of Object.entries(table.environment)) vi.stubEnv(name, value)
  const put = new PutCommand({ TableName: 'akte', Item: { pk: '1', sk: '1' } })

  const written = withTimeLimit(20_000, () => createClient().send(put))

  await expect(written).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('It is not known whether the change was made'),
  })
  expect(table.calls).toHaveLength(6)
  table.close()
})
