import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AktenlageError, createClient } from '#client/client.ts'
import { systemClock } from '#kernel/clock.ts'

/** The client against a server, or a proxy, that loses, delays, cuts off and invents answers. */
let baseUrl: string
let answer: (response: ServerResponse, attempt: number, request: IncomingMessage) => void
const keys: (string | undefined)[] = []
const server = createServer(async (request, response) => {
  for await (const _ of request);
  keys.push(request.headers['idempotency-key'] as string | undefined)
  answer(response, keys.length, request)
})
const client = (options = {}) => createClient({ baseUrl, apiKey: 'ak_1', ...options })
const open = (options = {}) => client(options).createCase({ body: { name: 'Meier ./. Schulze' } })
const remove = (options = {}) => client(options).deleteCase({ params: { id: '1' } })

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => keys.splice(0))

const opened = JSON.stringify({ id: '1' })
const grant = (response: ServerResponse) => response.writeHead(201).end(opened)
const refuse = (response: ServerResponse, status: number, code: string, headers = {}) =>
  response
    .writeHead(status, headers)
    .end(JSON.stringify({ error: { code, message: 'No.', request_id: 'r-1' } }))
const cutOff = (response: ServerResponse) => {
  response.writeHead(201, { 'Content-Length': opened.length }).write(opened.slice(0, 4))
  setTimeout(() => response.destroy(), 20)
}

describe('a POST is sent again with its key', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['if its answer breaks off', cutOff],
    ['if its connection breaks before an answer', (response) => response.destroy()],
    ['if it is answered late', () => {}],
    [
      'while an earlier attempt is at work',
      (response) => refuse(response, 409, 'REQUEST_IN_PROGRESS', { 'Retry-After': '0' }),
    ],
    ['if a gateway has lost its answer', (response) => response.writeHead(502).end('<h1>Bad gateway</h1>')],
    ['if a gateway has given it up', (response) => response.writeHead(504).end()],
    ['if a gateway says so in JSON', (response) => response.writeHead(504).end('{"error":"Timeout"}')],
    [
      'if a gateway says so with a code of its own',
      (response) => response.writeHead(504).end('{"error":{"code":"GatewayTimeout","message":"Late."}}'),
    ],
    [
      'if it is refused for a moment',
      (response) => refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' }),
    ],
    [
      'if it is refused until a date',
      (response) =>
        refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'Retry-After': systemClock.now().toUTCString() }),
    ],
  ])('%s', async (_, first) => {
    answer = (response, attempt) => (attempt === 1 ? first(response) : grant(response))

    const made = await open({ timeoutSeconds: 3 })

    expect(made).toEqual({ id: '1' })
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
  })
})

describe('nothing is sent again', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['if the connection breaks before an answer', (response) => response.destroy()],
    ['if the answer is late', () => {}],
    ['if a gateway has lost the answer', (response) => response.writeHead(502).end()],
  ])('without a key %s', async (_, first) => {
    answer = first

    await expect(remove({ timeoutSeconds: 3 })).rejects.toThrow()
    expect(keys).toHaveLength(1)
  })

  it.each([
    ['refused by another service', 502, 'MAIL_NOT_SENT'],
    ['refused for good', 409, 'FILE_NUMBER_TAKEN'],
    ['a fault', 500, 'INTERNAL_ERROR'],
  ])('that is %s', async (_, status, code) => {
    answer = (response) => refuse(response, status, code)

    await expect(open()).rejects.toMatchObject({ status, code })
    expect(keys).toHaveLength(1)
  })

  it('that has to wait for more than a minute, and the caller learns at once for how long', async () => {
    answer = (response) => refuse(response, 429, 'RATE_LIMITED', { 'Retry-After': '3600' })

    await expect(open()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 3600 })
    expect(keys).toHaveLength(1)
  })

  it('once its signal has aborted', async () => {
    const leaving = new AbortController()
    answer = () => leaving.abort(new DOMException('It takes too long.', 'TimeoutError'))

    await expect(client().listCases({}, { signal: leaving.signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    expect(keys).toHaveLength(1)
  })
})

it('an answer that never comes is a TimeoutError after the last attempt', async () => {
  answer = () => {}

  await expect(open({ retries: 1, timeoutSeconds: 2 })).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(keys).toHaveLength(2)
})

it('a page in the place of JSON is no answer of the service', async () => {
  answer = (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Wi-Fi</h1>')

  const error = await client()
    .getMe()
    .catch((error: unknown) => error)

  expect(error).toBeInstanceOf(AktenlageError)
  expect(error).toMatchObject({ status: 200, code: 'UNEXPECTED_ANSWER' })
})

it('the bytes of a file may come for longer than the time limit of an attempt', async () => {
  answer = (response) => {
    response.writeHead(200).write('first ')
    setTimeout(() => response.end('last'), 600)
  }

  const download = await client({ timeoutSeconds: 0.3 }).downloadDocument({ params: { id: 'doc_1' } })

  expect(await download.text()).toBe('first last')
})

it('a download ends when its signal aborts', async () => {
  const controller = new AbortController()
  answer = (response) => void response.writeHead(200).write('first')
  const download = await client().downloadDocument({ params: { id: 'doc_1' } }, { signal: controller.signal })

  controller.abort()

  await expect(download.bytes()).rejects.toMatchObject({ name: 'AbortError' })
})

it('a party that is in use says by which cases', async () => {
  const cases = [{ id: '1', file_number: '0001/26' }]
  answer = (response) =>
    response
      .writeHead(409)
      .end(JSON.stringify({ error: { code: 'PARTY_IN_USE', message: 'No.', request_id: 'r-1', cases } }))

  await expect(client().deleteParty({ params: { id: '1' } })).rejects.toMatchObject({ cases })
})
