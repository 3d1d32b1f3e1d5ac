import type { APIGatewayProxyEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { readCaller } from '#http/caller.ts'

const event = {
  headers: {
    'X-Forwarded-For': '198.51.100.9, 203.0.113.7',
    'User-Agent': 'curl/8',
    'Accept-Language': 'fr, de-CH;q=0.8',
    Cookie: 'sign_accessed=no; sign_access=abc=; sign_access=other',
  },
  requestContext: { identity: { sourceIp: '203.0.113.7' } },
} as unknown as APIGatewayProxyEvent

test('the address of a caller is the address of the connection, whatever the caller claims', () => {
  expect(readCaller({ ip: true }, event)).toEqual({ ip: '203.0.113.7' })
})

test('a cookie is found by its whole name, and of two the first counts', () => {
  expect(readCaller({ cookie: 'sign_access' }, event)).toEqual({ cookie: 'abc=' })
  expect(readCaller({ cookie: 'access' }, event)).toEqual({ cookie: undefined })
})

test('the language is one of the declared languages', () => {
  expect(readCaller({ languages: ['en', 'de'] }, event)).toEqual({ language: 'de' })
  expect(readCaller({ languages: ['en', 'it'] }, event)).toEqual({ language: 'en' })
})

test('a handler gets only the declared properties of the caller', () => {
  expect(readCaller({}, event)).toEqual({})
})
