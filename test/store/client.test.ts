import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { createClient } from '#store/client.ts'

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
