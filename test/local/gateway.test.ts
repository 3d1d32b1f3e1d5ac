import { once } from 'node:events'
import { connect } from 'node:net'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gateway, openGateway } from '#infra/local/gateway.ts'
import { json, localFunction } from '#test/support/local-function.ts'

const megabyte = 1024 * 1024
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
let gateway: Gateway

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  gateway = await openGateway(0)
  gateway.serve([
    localFunction(['/echo', '/echo/{id}'], (event, context) =>
      json({ event, remaining: context.getRemainingTimeInMillis(), awsRequestId: context.awsRequestId }),
    ),
    localFunction(['/result'], (event) => JSON.parse(event.body ?? 'null')),
    localFunction(['/size'], (event) => ({ statusCode: 200, body: 'x'.repeat(Number(event.body)) })),
    localFunction(['/throws'], () => {
      throw new Error('secret cause')
    }),
    localFunction(['/late'], () => new Promise(() => {}), { timeoutSeconds: 0.2 }),
  ])
})

afterAll(() => gateway.close())

describe('the event of a REST API', () => {
  test('carries the sent values, repeated ones both in full and with the last one only', async () => {
    const answer = await fetch(`${gateway.baseUrl}/echo/M%C3%BCller?a=1&a=%C3%A4+b&__proto__=x`, {
      headers: { 'X-Forwarded-Proto': 'https' },
    })

    const event = await eventOf(answer)
    expect(event).toMatchObject({
      resource: '/echo/{id}',
      path: '/echo/M%C3%BCller',
      httpMethod: 'GET',
      pathParameters: { id: 'Müller' },
      queryStringParameters: { a: 'ä b' },
      multiValueQueryStringParameters: { a: ['1', 'ä b'] },
      headers: { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '127.0.0.1' },
      body: null,
      isBase64Encoded: false,
      requestContext: {
        resourcePath: '/echo/{id}',
        stage: 'local',
        domainName: new URL(gateway.baseUrl).host,
        identity: { sourceIp: '127.0.0.1' },
      },
    })
    expect(Object.keys(event.queryStringParameters ?? {})).toEqual(['a', '__proto__'])
    expect(event.requestContext.requestId).toMatch(uuid)
  })

  test('keeps header names as sent, gives repeated headers in full, and names the host that it has, not the one that is sent', async () => {
    const answer = await raw(
      'GET /echo HTTP/1.1\r\nHost: firm.example\r\nx-Twice: 1\r\nx-Twice: 2\r\nConnection: close\r\n\r\n',
    )

    const event: APIGatewayProxyEvent = JSON.parse(answer.body).event
    expect(event.headers['x-Twice']).toBe('2')
    expect(event.multiValueHeaders['x-Twice']).toEqual(['1', '2'])
    expect(event.requestContext.domainName).toBe(new URL(gateway.baseUrl).host)
  })

  test('has null if there is no parameter at all', async () => {
    const event = await eventOf(await fetch(`${gateway.baseUrl}/echo`))

    expect(event.queryStringParameters).toBeNull()
    expect(event.multiValueQueryStringParameters).toBeNull()
    expect(event.pathParameters).toBeNull()
  })

  test('carries a form with files in base64, byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 254, 128, 13, 10])

    const event = await eventOf(await post('/echo', bytes, 'Multipart/Form-Data; boundary=x'))

    expect(event.isBase64Encoded).toBe(true)
    expect(Buffer.from(event.body ?? '', 'base64')).toEqual(bytes)
  })

  test('carries any other body as text in which broken UTF-8 has become U+FFFD', async () => {
    const event = await eventOf(await post('/echo', Buffer.from([0x22, 0xff, 0xc3, 0xa4, 0x22])))

    expect(event.isBase64Encoded).toBe(false)
    expect(event.body).toBe('"\ufffdä"')
  })

  test('comes with a context that counts down from the timeout of the function', async () => {
    const { remaining, event, awsRequestId } = await echoed(await fetch(`${gateway.baseUrl}/echo`))

    expect(remaining).toBeGreaterThan(9_000)
    expect(remaining).toBeLessThanOrEqual(10_000)
    expect(awsRequestId).toBe(event.requestContext.requestId)
  })
})

describe('the answer of a function', () => {
  test('goes out with its status, headers and text', async () => {
    const answer = await result({
      statusCode: 201,
      headers: { 'Content-Type': 'text/html', ETag: '"1"' },
      body: '<p>ä</p>',
    })

    expect(answer.status).toBe(201)
    expect(answer.headers.get('content-type')).toBe('text/html')
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(await answer.text()).toBe('<p>ä</p>')
  })

  test('repeats a header that has several values, which go before a single one of the same name', async () => {
    const answer = await result({
      statusCode: 200,
      headers: { 'set-cookie': 'x=0' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body: '',
    })

    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test('is JSON if it names no type', async () => {
    expect((await result({ statusCode: 200, body: '{}' })).headers.get('content-type')).toBe(
      'application/json',
    )
  })

  test.each([204, 304])('%d has no body and no length', async (statusCode) => {
    const answer = await result({ statusCode, body: '' })

    expect(answer.status).toBe(statusCode)
    expect(answer.headers.get('content-length')).toBeNull()
  })

  test('in base64 is decoded for callers that accept the binary type of the API, as on AWS', async () => {
    const encoded = { statusCode: 200, body: Buffer.from([0, 255]).toString('base64'), isBase64Encoded: true }

    const decoded = await result(encoded, { Accept: 'multipart/form-data' })
    const literal = await result(encoded)

    expect(Buffer.from(await decoded.arrayBuffer())).toEqual(Buffer.from([0, 255]))
    expect(await literal.text()).toBe('AP8=')
  })

  test.each([
    ['nothing', null],
    ['a text', 'hello'],
    ['a list', []],
    ['no status', { body: '{}' }],
    ['a status that is none', { statusCode: 99, body: '' }],
    ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
    ['headers that are a list', { statusCode: 200, headers: ['a'], body: '' }],
    ['a header that HTTP does not allow', { statusCode: 200, headers: { 'X-A': 'a\r\nb' }, body: '' }],
  ])('that is %s becomes 500 without its cause', async (_name, value) => {
    await expectRefusal(await result(value), 500, 'INTERNAL_ERROR')
  })

  test('becomes 500 when it is larger than Lambda gives back', async () => {
    const within = await post('/size', String(6 * megabyte - 1_000))
    const beyond = await post('/size', String(6 * megabyte + 1))

    expect(within.status).toBe(200)
    expect((await within.text()).length).toBe(6 * megabyte - 1_000)
    await expectRefusal(beyond, 500, 'INTERNAL_ERROR')
  })

  test('is 500 without its cause when the function throws', async () => {
    const answer = await fetch(`${gateway.baseUrl}/throws`)

    expect(await answer.clone().text()).not.toContain('secret')
    await expectRefusal(answer, 500, 'INTERNAL_ERROR')
  })

  test('is 503 without a Retry-After when the function does not answer in its time: it may have made a change', async () => {
    const startedAt = performance.now()
    const answer = await fetch(`${gateway.baseUrl}/late`)

    expect(performance.now() - startedAt).toBeLessThan(10_000)

    expect(answer.headers.get('retry-after')).toBeNull()
    await expectRefusal(answer, 503, 'SERVICE_UNAVAILABLE')
  })
})

describe('the gateway refuses in the error envelope', () => {
  test.each([
    ['GET', '/nowhere'],
    ['PROPFIND', '/nowhere'],
    ['GET', '//echo'],
    ['GET', '/%'],
    ['GET', '/echo/..%2f..%2fetc/passwd'],
  ])('%s %s, which is no route', async (method, path) => {
    await expectRefusal(await fetch(`${gateway.baseUrl}${path}`, { method }), 404, 'ROUTE_NOT_FOUND')
  })

  test.each([
    'DELETE',
    'OPTIONS',
    'HEAD',
    'PATCH',
    'PROPFIND',
    'REPORT',
    'MKCALENDAR',
    'QUERY',
  ])('%s goes to the function of the path, which knows its methods', async (method) => {
    const answer = await fetch(`${gateway.baseUrl}/echo`, { method })

    expect(answer.status).toBe(200)
    if (method !== 'HEAD')
      expect(await eventOf(answer)).toMatchObject({ httpMethod: method, resource: '/echo' })
  })

  test.each([
    ['letters', '/echo?search=M\u00fcller'],
    ['a path', '/echo/Stra\u00dfe'],
    ['a sign', '/echo?a=\u20ac'],
    ['a name', '/echo?gr\u00f6\u00dfe=1'],
  ])('an address that is not percent-encoded, and says so: %s', async (_, target) => {
    const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)

    expect(answer.head).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(answer.body).error).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(JSON.parse(answer.body).error.message).toMatch(/percent-encode/)
  })

  test('a body of more than 10 MB, whether its length is announced or not', async () => {
    const tooLarge = Buffer.alloc(10 * megabyte + 1, 'a')

    await expectRefusal(await post('/echo', tooLarge), 413, 'PAYLOAD_TOO_LARGE')
    await expectRefusal(await post('/echo', new Blob([tooLarge]).stream()), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a body of a gigabyte without waiting for it, and closes', async () => {
    const answer = await raw('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\nstart')

    expect(answer.head).toMatch(/^HTTP\/1.1 413 /)
    expect(answer.head).toMatch(/connection: close/i)
    expect(JSON.parse(answer.body).error.code).toBe('PAYLOAD_TOO_LARGE')
  })

  test('a body that is announced as too long before it is sent', async () => {
    const answer = await raw(
      'POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 20000000\r\n\r\n',
    )

    expect(answer.head).toMatch(/^HTTP\/1.1 413 /)
  })

  test('an expectation that it does not know', async () => {
    const answer = await raw(
      'POST /echo HTTP/1.1\r\nHost: a\r\nExpect: nonsense\r\nContent-Length: 2\r\n\r\n{}',
    )

    expect(answer.head).toMatch(/^HTTP\/1.1 417 /)
    expect(JSON.parse(answer.body).error.code).toBe('VALIDATION_ERROR')
    expect(answer.head).toContain(JSON.parse(answer.body).error.request_id)
  })

  test('an event of more than 6 MB, also when only base64 makes it that large', async () => {
    expect((await post('/size', Buffer.alloc(4 * megabyte), 'multipart/form-data')).status).toBe(200)
    await expectRefusal(
      await post('/size', Buffer.alloc(5 * megabyte), 'multipart/form-data'),
      413,
      'PAYLOAD_TOO_LARGE',
    )
    await expectRefusal(await post('/size', Buffer.alloc(7 * megabyte, 'a')), 413, 'PAYLOAD_TOO_LARGE')
  })

  test.each([
    ['what is no HTTP', 'hello there\r\n\r\n', /a method that HTTP does not have/],
    ['an unknown method', 'FETCH /echo HTTP/1.1\r\nHost: a\r\n\r\n', /a method that HTTP does not have/],
    ['a method in small letters', 'get /echo HTTP/1.1\r\nHost: a\r\n\r\n', /capital letters/],
    ['a version that nobody has', 'GET /echo HTTP/7.3\r\nHost: a\r\n\r\n', /HTTP\/1\.1/],
    ['HTTP/1.0 without a host', 'GET /echo HTTP/1.0\r\n\r\n', /Host is missing/],
    [
      'headers that are too long',
      `GET /echo HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(100_000)}\r\n\r\n`,
      /headers are too long/,
    ],
    [
      'a URL that is too long',
      `GET /echo?${'a'.repeat(11_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      /address is too long/,
    ],
    ['a request without a host', 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n', /Host is missing/],
    [
      'two lengths',
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      /malformed/,
    ],
  ])('%s with 400, and names the fault', async (_name, bytes, message) => {
    const answer = await raw(bytes)

    expect(answer.head).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(answer.body).error.code).toBe('VALIDATION_ERROR')
    expect(JSON.parse(answer.body).error.message).toMatch(message)
    expect(answer.head).toContain(JSON.parse(answer.body).error.request_id)
  })

  test('every request until it has something to serve', async () => {
    const early = await openGateway(0)

    const answer = await fetch(early.baseUrl)
    expect(await answer.clone().text()).toContain('Nothing was changed: try again')
    await expectRefusal(answer, 503, 'SERVICE_UNAVAILABLE')

    await early.close()
  })
})

test('a caller who goes away in the middle of a body harms nobody else', async () => {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf')
  socket.resetAndDestroy()

  expect((await fetch(`${gateway.baseUrl}/echo`)).status).toBe(200)
})

test('a full target with scheme and host finds its route', async () => {
  const answer = await raw(
    'GET http://firm.example/echo/7?a=1 HTTP/1.1\r\nHost: firm.example\r\nConnection: close\r\n\r\n',
  )

  expect(JSON.parse(answer.body).event).toMatchObject({ path: '/echo/7', queryStringParameters: { a: '1' } })
})

test('closing finishes the request that is open and takes no other', async () => {
  const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>()
  const closing = await openGateway(0)
  closing.serve([
    localFunction(['/slow'], async () => {
      begun()
      await mayAnswer
      return json({ done: true })
    }),
  ])
  const open = fetch(`${closing.baseUrl}/slow`)
  await hasBegun

  const closed = closing.close()
  answerNow()

  expect(await (await open).json()).toEqual({ done: true })
  await closed
  await expect(fetch(`${closing.baseUrl}/slow`)).rejects.toThrow()
})

test('a port in use is named, with what to do', async () => {
  const { port } = new URL(gateway.baseUrl)

  await expect(openGateway(Number(port))).rejects.toThrow(
    `Port ${port} is in use. Choose another one: PORT=${Number(port) + 1} npm start`,
  )
})

async function eventOf(answer: Response): Promise<APIGatewayProxyEvent> {
  return (await echoed(answer)).event
}

function echoed(
  answer: Response,
): Promise<{ event: APIGatewayProxyEvent; remaining: number; awsRequestId: string }> {
  return answer.json() as ReturnType<typeof echoed>
}

function post(
  path: string,
  body: Buffer | string | ReadableStream,
  type = 'application/json',
): Promise<Response> {
  return fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: body instanceof Buffer ? new Uint8Array(body) : body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
}

/** Has a function return this value, as it is. */
function result(value: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/result`, {
    method: 'POST',
    headers: { Accept: 'application/json', ...headers },
    body: JSON.stringify(value),
  })
}

async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
  const { error } = (await answer.json()) as { error: { code: string; message: string; request_id: string } }
  expect({ status: answer.status, code: error.code }).toEqual({ status, code })
  expect(error.request_id).toMatch(uuid)
  expect(answer.headers.get('x-request-id')).toBe(error.request_id)
  expect(error.message).toMatch(/\w/)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
  })
}

/** Sends bytes as they are and reads until the other side closes. */
async function raw(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  return {
    head,
    body: /transfer-encoding: chunked/i.test(head)
      ? (body.replace(/^[0-9a-f]+\r\n/i, '').split('\r\n')[0] ?? '')
      : body,
  }
}
