import { afterEach, expect, it, vi } from 'vitest'
import { layoutKey, stageName, tableLayout } from '#store/table.ts'
import { fakeDynamoDb } from '#test/support/fake-dynamodb.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

afterEach(() => vi.unstubAllEnvs())

it('a sweep reads everything that is due, also if the table refuses the first attempt of each read', async () => {
  const refused = new Set<string>()
  const fake = await fakeDynamoDb(({ operation, input }) => {
    if (operation === 'GetItem')
      return { answer: { Item: marshalled({ ...layoutKey, stage: stageName(), layout: tableLayout }) } }
    if (operation !== 'Query') return { answer: {} }
    const read = JSON.stringify(input)
    if (refused.has(read)) return { answer: { Items: [], Count: 0 } }
    refused.add(read)
    return { refusal: 'InternalServerError', status: 500 }
  })
  const environment = { ...sharedService().environment, ...fake.environment }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const { handler } = await import('#functions/workers/sweeper/index.ts')

  const sweep = () => handler({}, { getRemainingTimeInMillis: () => 60_000 })
  // The SDK prepares its limit of repetitions during the first calls.
  await sweep()
  refused.clear()
  fake.calls.length = 0

  await sweep()

  fake.close()
  const reads = fake.calls.filter(({ operation }) => operation === 'Query')
  expect(refused.size).toBeGreaterThan(400)
  expect(reads).toHaveLength(2 * refused.size)
})

const marshalled = (item: Record<string, string | number>) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  )
