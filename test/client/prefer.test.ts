import { expect, it } from 'vitest'
import { createClient } from '#client/client.ts'

it.each([
  [{}, 'handling=strict'],
  [{ Prefer: 'return=minimal' }, 'handling=strict, return=minimal'],
  [{ prefer: 'wait=5, respond-async' }, 'handling=strict, wait=5, respond-async'],
  [{ prefer: 'handling=lenient' }, 'handling=lenient'],
  [{ PREFER: 'wait=5, Handling = lenient' }, 'wait=5, Handling = lenient'],
])('a client stays strict beside %j, unless that says otherwise', async (headers, sent) => {
  let seen: string | null = null
  const fetch = async (_: unknown, init?: RequestInit) => {
    seen = new Headers(init?.headers).get('prefer')
    return Response.json({}, { status: 201 })
  }
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    apiKey: 'k',
    fetch: fetch as typeof globalThis.fetch,
  })

  await client.createCase({ body: { name: 'Streit' } }, { headers })

  expect(seen).toBe(sent)
})
