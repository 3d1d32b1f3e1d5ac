import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { S3Client } from '@aws-sdk/client-s3'
import { beforeAll, expect, it, vi } from 'vitest'
import { allEndpoints } from '#functions/manifest.ts'
import { inRepository } from '#infra/in-repository.ts'
import { scopes } from '#kernel/scope.ts'
import { ask, type Handler } from '#test/bench/requests.ts'
import { interceptStoreCalls, removesJobs } from '#test/bench/store-calls.ts'
import { newFirm } from '#test/support/firm.ts'
import { allFixtures, type Given, given, sendOf } from '#test/support/fixture.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** `packages/store/README.md` names the calls of the main operations: `| getCase | 2 Get | | … |`. */
const readme = readFileSync(inRepository('packages/store/README.md'), 'utf8')
const promised = [...readme.matchAll(/^\| `(\w+)` \| ((?:\d+ \w+(?:, )?)+) \|([^|]*)\|/gm)].map(
  ([, operation = '', table = '', bucket = '']) => ({ operation, table, bucket: bucket.trim() }),
)

const calls = interceptStoreCalls()
const fixtures = await allFixtures()
let key: string
let data: Given
beforeAll(async () => {
  // Requests are counted in the table now and then.
  Object.assign(process.env, sharedService().environment, { RATE_LIMIT_PER_SECOND: '0' })
  const firm = await newFirm()
  const apiKey = { user_id: firm.ownerUser.id, name: 'Aufrufe', scopes }
  key = (await firm.owner('POST', '/api/v1/api-keys', { body: apiKey })).body.key
  data = given(firm, '')
})

it('the README names the calls of ten operations', () => {
  expect(promised).toHaveLength(10)
})

// A worker that changes the same record meanwhile makes a request read it again.
it.each(promised)('$operation makes the calls that the README names', { retry: 6 }, async (expected) => {
  const declared = allEndpoints.find(({ operation }) => operation === expected.operation)
  if (declared === undefined) throw new Error('There is no such operation.')
  const { endpoint, operation, function: fn } = declared
  const { handler }: { handler: Handler } = await import(inRepository(fn.entry))
  const bucketCalls = vi.spyOn(S3Client.prototype, 'send')
  const request = async () => {
    const prepared = (await fixtures[operation]?.(data)) ?? {}
    const { body, raw } = sendOf(endpoint, prepared)
    return {
      method: endpoint.method,
      resource: endpoint.path,
      key,
      ...(prepared.params && { params: prepared.params }),
      // Files with the same bytes are duplicates, which the answer names.
      ...(raw === undefined
        ? { body }
        : { file: { name: 'Vollmacht.txt', bytes: Buffer.from(randomUUID()) } }),
    }
  }
  // The first request of a function also reads the layout of the table, and notes the use of the key.
  await ask(handler, await request())
  const second = await request()
  bucketCalls.mockClear()

  const made = await calls.record(() => ask(handler, second))

  const table = made.calls.filter((call) => !removesJobs(call)).map(({ name }) => name)
  const bucket = bucketCalls.mock.calls.map(([command]) => command.constructor.name)
  bucketCalls.mockRestore()
  expect({ operation, table: counted(table), bucket: counted(bucket) }).toEqual(expected)
})

/** `2 Get, 1 TransactWrite`, in the order of their first call. */
function counted(names: string[]): string {
  const kinds = [...new Set(names)]
  return kinds
    .map((kind) => `${names.filter((name) => name === kind).length} ${kind.replace('Command', '')}`)
    .join(', ')
}
