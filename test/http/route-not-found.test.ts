import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { expect, it } from 'vitest'
import { serve } from '#http/serve.ts'
import { gatewayAnswers } from '#infra/gateway-answers.ts'

it('a function refuses a path that it does not have with the answer of the gateway', async () => {
  const handler = serve({}, { services: {}, authenticate: async () => Promise.reject(), log })
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
