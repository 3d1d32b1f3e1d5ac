import type { APIGatewayProxyEvent } from 'aws-lambda'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Endpoint, endpointsOf } from '#http/endpoint.ts'
import { refusals } from '#http/middleware.ts'
import { progressOf } from '#http/progress.ts'

const endpoint = endpointsOf<object>()
const path = '/api/v1/toys'
const toy = {
  access: 'any key',
  summary: 'A toy',
  handle: () => Promise.reject(new Error('unused')),
} as const
const makeToy = endpoint({ ...toy, method: 'POST', path, output: z.object({}) })
const showManual = endpoint({ ...toy, method: 'GET', path, produces: 'file' })
const readManual = endpoint({
  ...toy,
  method: 'POST',
  path,
  output: z.object({}),
  errors: { 500: ['BYTES_MISSING'] },
})

async function codeAt(endpoint: Endpoint<never>, name: string) {
  const event = { requestContext: { requestId: '1' }, headers: {} } as APIGatewayProxyEvent
  progressOf(event).endpoint = endpoint
  const request = { event, error: Object.assign(new Error(), { name }) }
  await refusals({}, { info: () => {}, error: () => {} }).onError?.(request as never)
  return JSON.parse((request as unknown as { response: { body: string } }).response.body).error.code
}

it.each([
  ['a download', showManual, 'NoSuchKey', 'BYTES_MISSING'],
  ['what declares it', readManual, 'AccessDenied', 'BYTES_MISSING'],
  ['a download that fails otherwise', showManual, 'TypeError', 'INTERNAL_ERROR'],
  // It may have changed something, and says so.
  ['any other endpoint', makeToy, 'AccessDenied', 'INTERNAL_ERROR'],
])('an object that cannot be read is named at %s', async (_, endpoint, name, code) => {
  expect(await codeAt(endpoint, name)).toBe(code)
})
