import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { serve } from '#http/serve.ts'
import { gatewayAnswers } from '#infra/gateway-answers.ts'

const endpoint = endpointsOf<unknown>()
const getBook = endpoint({
  method: 'GET',
  path: '/api/v1/book',
  access: 'public',
  summary: 'Get the book',
  output: z.object({ text: z.string() }),
  handle: async () => ({ text: 'Es war einmal.' }),
})

it('a function refuses a path that it does not have with the answer of the gateway', async () => {
  const handler = serve({ getBook }, { services: {}, authenticate: async () => Promise.reject(), log })
  const event = {
    httpMethod: 'GET',
    resource: '/api/v1/nothing',
    path: '/api/v1/nothing',
    headers: {},
    multiValueHeaders: {},
    requestContext: { requestId: 'the-request' },
  } as unknown as APIGatewayProxyEvent

  const answer = await handler(event, { getRemainingTimeInMillis: () => 30_000 } as Context)

  const { status, code, message } = gatewayAnswers.unknownRoute
  expect([answer.statusCode, JSON.parse(answer.body)]).toMatchObject([status, { error: { code, message } }])
})

const log = { info: () => {}, error: () => {} }
