import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { serveToys, type ToyGateway } from '#test/support/toy-gateway.ts'

let made = 0
let failures = 0
const endpoint = endpointsOf<unknown>()
const getBook = endpoint({
  method: 'GET',
  path: '/api/v1/book',
  access: 'public',
  summary: 'Get the book',
  output: z.object({ text: z.string(), at: z.string() }),
  etag: z.object({ text: z.string(), at: z.string() }),
  fixed: true,
  handle: async (_, { baseUrl }) => {
    made += 1
    if (failures > 0) {
      failures -= 1
      throw new Error('The book is away.')
    }
    return { text: 'ä'.repeat(2_000_000), at: baseUrl }
  },
})

describe('an answer that is fixed', () => {
  let gateway: ToyGateway
  beforeAll(async () => {
    gateway = await serveToys({ getBook }, {})
  })
  afterAll(() => gateway.close())
  beforeEach(() => {
    made = 0
  })
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${gateway.baseUrl}/api/v1/book`, { method, headers })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
  }

  it('is not kept if building it failed, and is then built once for all callers', async () => {
    failures = 1

    const failed = await get()
    const answers = await Promise.all(Array.from({ length: 20 }, () => get()))

    expect(failed.status).toBe(500)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(JSON.parse(answers[0]?.text ?? '')).toEqual({
      text: 'ä'.repeat(2_000_000),
      at: gateway.baseUrl,
    })
    expect(made).toBe(2)
  })

  it('is not sent again to a caller that has it, and each request has its own id', async () => {
    const { etag } = await get()

    const [again, other, head] = [
      await get({ 'If-None-Match': etag }),
      await get({ 'If-None-Match': '"other"' }),
      await get({}, 'HEAD'),
    ]

    expect([again.status, again.text]).toEqual([304, ''])
    expect([other.status, other.text.length > 1_000_000]).toEqual([200, true])
    expect([head.status, head.etag, head.text]).toEqual([200, etag, ''])
    const ids = gateway.log.filter(({ message }) => message === 'request').map(({ request_id }) => request_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('names each address of the service if it has several', async () => {
    const own = process.env.SERVICE_BASE_URL
    process.env.SERVICE_BASE_URL = 'https://akten.example.de'

    const elsewhere = await get()
    process.env.SERVICE_BASE_URL = own
    const here = await get()

    expect([elsewhere, here].map(({ text }) => JSON.parse(text).at)).toEqual([
      'https://akten.example.de',
      gateway.baseUrl,
    ])
    expect(elsewhere.etag).not.toBe(here.etag)
  })
})
