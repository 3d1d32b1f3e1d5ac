import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { lastUseAttributes, refusalAttributes } from '#infra/constructs/function-rights.ts'
import { inRepository } from '#infra/in-repository.ts'
import { installStreaming, ResponseStream } from '#infra/local/response-stream.ts'
import { scopes } from '#kernel/scope.ts'
import { contextOf, eventOf } from '#test/bench/requests.ts'
import { interceptStoreCalls } from '#test/bench/store-calls.ts'
import { settled } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { allFixtures, given } from '#test/support/fixture.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { writesOf } from '#test/support/writes-of.ts'

/** The local environment checks no roles. These tests check that functions with read access only read the table. */
const readers = manifest.filter(({ needs }) => needs.table === 'read')

const storeCalls = interceptStoreCalls()
const fixtures = await allFixtures()

let firm: Firm
beforeAll(async () => {
  Object.assign(process.env, sharedService().environment)
  installStreaming()
  firm = await newFirm()
})

test.each(
  readers.flatMap(({ name, entry, endpoints = {} }) =>
    Object.entries(endpoints).map(
      ([operation, endpoint]) => [name, endpoint.path, entry, { ...endpoint, operation }] as const,
    ),
  ),
)('%s, which may only read, answers %s without writing more than that a key was used, in the audit too, how much of an allowance, and its answer', async (name, resource, entry, {
  method,
  operation,
  streamed,
  example,
}) => {
  // Prepare
  const { handler } = await import(inRepository(entry))
  const { params = {} } = (await fixtures[operation]?.(given(firm, ''))) ?? {}
  if (params.id?.startsWith('doc_')) await settled(firm.owner, params.id)
  // A key that was never used, of the user who may read what the fixture has made.
  const { admin } = await import('#infra/tools/admin/index.ts')
  const { key } = await admin().createKey(firm.workspace.id, {
    user_id: firm.ownerUser.id,
    name: 'Test',
    scopes: [...scopes],
  })
  const stream = new ResponseStream().resume()

  // Act
  const query = example.query as Record<string, string> | undefined
  const idempotencyKey = method === 'POST' && { idempotencyKey: crypto.randomUUID() }
  const sent = { ...(query && { query }), ...(example.body !== undefined && { body: example.body }) }
  const event = eventOf({ method, resource, params, key, ...idempotencyKey, ...sent })
  const { calls, result } = await storeCalls.record(() =>
    streamed ? handler(event, stream, contextOf(name)) : handler(event, contextOf(name)),
  )

  // Assess
  const { statusCode } = streamed ? await stream.head : (result as { statusCode: number })
  expect(statusCode).toBe(200)
  const { others: writes, counted, audited, kept } = writesOf(calls)
  expect(new Set(counted)).toEqual(new Set([`UpdateCommand ${firm.workspace.id}#allowance`]))
  expect(audited).toEqual([`${firm.workspace.id}#audit`])
  expect(kept).toHaveLength(method === 'POST' ? 2 : 0)
  expect(writes.map(({ name }) => name)).toEqual(['UpdateCommand'])
  const { Key, ExpressionAttributeNames, ReturnValues = 'NONE' } = writes[0]?.input as UpdateCommandInput
  expect(Key?.pk).toMatch(/^api_key#/)
  const named = new Set([...Object.keys(Key ?? {}), ...Object.values(ExpressionAttributeNames ?? {})])
  expect([...named].toSorted()).toEqual(lastUseAttributes.toSorted())
  expect(ReturnValues).toBe('NONE')
})

test('a refused key is noted by what a function with read access may write', async () => {
  const { admin } = await import('#infra/tools/admin/index.ts')
  const { key } = await admin().createKey(firm.workspace.id, {
    user_id: firm.ownerUser.id,
    name: 'Test',
    scopes: [...scopes],
  })
  const { handler } = await import('#functions/documents-files/index.ts')
  const stream = new ResponseStream().resume()
  const params = { id: 'doc_01993f5e-0000-7000-8000-000000000000' }
  const event = eventOf({
    method: 'GET',
    resource: '/api/v1/documents/{id}/download',
    params,
    key: `${key.slice(0, -4)}${key.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`,
  })

  const { calls } = await storeCalls.record(() => handler(event, stream, contextOf('documents-files')))

  const { others: writes, audited } = writesOf(calls)
  expect((await stream.head).statusCode).toBe(401)
  expect(audited).toEqual([`${firm.workspace.id}#audit`])
  expect(writes.map(({ name }) => name)).toEqual(['UpdateCommand'])
  const { Key, ExpressionAttributeNames, ReturnValues = 'NONE' } = writes[0]?.input as UpdateCommandInput
  expect(Key?.pk).toMatch(/^api_key#/)
  const named = new Set([...Object.keys(Key ?? {}), ...Object.values(ExpressionAttributeNames ?? {})])
  expect([...named].toSorted()).toEqual(refusalAttributes.toSorted())
  expect(ReturnValues).toBe('NONE')
})
