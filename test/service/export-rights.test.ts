import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import {
  executionAttributes,
  lastUseAttributes,
  tokenUseAttributes,
} from '#infra/constructs/function-rights.ts'
import { installStreaming, ResponseStream } from '#infra/local/response-stream.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { contextOf, eventOf } from '#test/bench/requests.ts'
import { interceptStoreCalls } from '#test/bench/store-calls.ts'
import { aConfig, anExpiredToken, aRun, aToken } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { writesOf } from '#test/support/writes-of.ts'

/** The local environment checks no roles and shows no logs: these tests run the function in their own process. */
const storeCalls = interceptStoreCalls()

let firm: Firm
beforeAll(async () => {
  installStreaming()
  firm = await newFirm()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const of = '/api/v1/exports/configs/{id}'

/** Runs the function `exports-files` to the end of its answer. */
async function run(
  resource: string,
  params: Record<string, string>,
  { token, key }: { token?: string; key?: string } = {},
): Promise<number> {
  // Read when the function is loaded, which other helpers set otherwise.
  process.env.LOG_LEVEL = 'info'
  const { handler } = await import('#functions/exports-files/index.ts')
  const stream = new ResponseStream().resume()
  const event = eventOf({
    method: 'GET',
    resource,
    params,
    ...(key && { key }),
    ...(token && { query: { token } }),
  })
  await handler(event, stream, contextOf('exports-files', 900))
  return (await stream.head).statusCode
}

it('writes no more than when a key or a token was used, how much of an allowance, and when a configuration was executed', async () => {
  // Prepare
  const { id } = await aConfig(firm, { schedule: { frequency: 'daily', time: '06:00' } })
  const run_id = (await aRun(firm, id)).id
  const { token } = await aToken(firm, id)
  const { key } = await firm.colleague()

  // Act
  const { calls, result } = await storeCalls.record(async () => [
    await run(`${of}/execute`, { id }, { key }),
    await run(`${of}/runs/{run_id}/download`, { id, run_id }, { key }),
    await run(`${of}/retrieve`, { id }, { token }),
  ])

  // Assess
  expect(result).toEqual([200, 200, 200])
  const { others: writes, counted, audited } = writesOf(calls)
  // The first use of the key, and three fetched exports.
  expect(audited).toEqual(Array(4).fill(`${firm.workspace.id}#audit`))
  expect(new Set(counted)).toEqual(new Set([`UpdateCommand ${firm.workspace.id}#allowance`]))
  const made = writes.map(({ name, input }) => {
    const { Key, ExpressionAttributeNames, ReturnValues = 'NONE' } = input as UpdateCommandInput
    const named = new Set([...Object.keys(Key ?? {}), ...Object.values(ExpressionAttributeNames ?? {})])
    const partition = String(Key?.pk).replace(/^ws_[0-9a-f-]{36}#|#.*$/g, '')
    return { name, partition, ReturnValues, attributes: [...named].toSorted() }
  })
  const update = (partition: string, attributes: string[]) => ({
    name: 'UpdateCommand',
    partition,
    ReturnValues: 'NONE',
    attributes: attributes.toSorted(),
  })
  expect(made).toEqual([
    update('api_key', lastUseAttributes),
    update('export_configs', executionAttributes),
    update('export_token', tokenUseAttributes),
    update('export_configs', executionAttributes),
  ])
})

it('no token, and no digest of one, gets into the log, whatever becomes of the request (X4)', async () => {
  // Prepare
  const { id } = await aConfig(firm)
  const deleted = await aConfig(firm)
  const bookings = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev' })
  const good = (await aToken(firm, id)).token
  const ofDeleted = (await aToken(firm, deleted.id)).token
  const ofBookings = (await aToken(firm, bookings.id)).token
  const expired = await anExpiredToken(firm, id)
  const unknown = `unbekannt${good.slice(9)}`
  await firm.owner('DELETE', `/api/v1/exports/configs/${deleted.id}`)
  const lines: string[] = []
  const keep = (line: unknown) => lines.push(String(line)) > 0
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  const retrieve = (configId: string, token: string) => run(`${of}/retrieve`, { id: configId }, { token })

  // Act
  const statuses = [
    await retrieve(id, good),
    await retrieve(id, unknown),
    await retrieve(id, expired),
    await retrieve(deleted.id, ofDeleted),
    await retrieve(bookings.id, ofBookings),
  ]
  vi.restoreAllMocks()

  // Assess
  expect(statuses).toEqual([200, 401, 410, 404, 409])
  const logged = lines.join('')
  for (const status of statuses) expect(logged).toContain(`"status":${status}`)
  for (const token of [good, unknown, expired, ofDeleted, ofBookings]) {
    expect(logged).not.toContain(token)
    expect(logged).not.toContain(hexDigest(token))
  }
})
