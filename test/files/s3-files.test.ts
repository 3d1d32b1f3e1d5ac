import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient, s3Files } from '#files/s3-files.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'

/** Answers the requests to the S3 server of these tests. */
let react: (request: IncomingMessage, response: ServerResponse) => void
let server: Server

beforeEach(async () => {
  server = createServer((request, response) => react(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

const files = (requestTimeoutMilliseconds?: number) =>
  s3Files('test', createClient(requestTimeoutMilliseconds))
const unavailable = { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' }

test('a request is repeated if its answer does not begin in time', async () => {
  let requests = 0
  react = (_request, response) => {
    requests += 1
    if (requests > 1) response.setHeader('ETag', '"1"').end('bytes')
  }

  const object = await withTimeLimit(5_000, () => files(300).read('key'))

  expect(new TextDecoder().decode(object)).toBe('bytes')
})

test('a read fails with 503 at the time limit of the request if the answer stops in the middle', async () => {
  react = (_request, response) => {
    response.setHeader('Content-Length', '10').write('half')
  }

  const reading = withTimeLimit(500, () => files().read('key'))

  await expect(reading).rejects.toMatchObject(unavailable)
})

describe('a file whose connection breaks after the headers', () => {
  const content = 'The bytes of a file.'
  let ranges: (string | undefined)[]

  /**
   * Breaks the connection after four bytes of an answer, this number of times. `replaced`: at the next request, the key
   * has another file.
   */
  const breakConnection = (times: number, replaced = false) => {
    ranges = []
    react = ({ headers }, response) => {
      ranges.push(headers.range)
      const isReplaced = replaced && ranges.length > 1
      if (isReplaced && headers['if-match'] === '"1"') {
        response.writeHead(412, xml).end('<Error><Code>PreconditionFailed</Code></Error>')
        return
      }
      const [, first = '0', last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
      const bytes = content.slice(Number(first), last ? Number(last) + 1 : undefined)
      response.writeHead(headers.range ? 206 : 200, { 'Content-Length': bytes.length, ETag: '"1"' })
      if (ranges.length > times) response.end(bytes)
      else response.write(bytes.slice(0, 4), () => setTimeout(() => response.destroy(), 20))
    }
  }

  test.each([
    ['read', (range?: { first: number; last: number }) => files().read('key', range)],
    ['stream', async (range?: { first: number; last: number }) => buffer(await files().stream('key', range))],
  ])('is still read completely: %s', async (_, get) => {
    breakConnection(3)
    const whole = Buffer.from(await withTimeLimit(10_000, () => get())).toString()
    const wholeRanges = ranges
    breakConnection(1)
    const part = Buffer.from(await withTimeLimit(10_000, () => get({ first: 2, last: 11 }))).toString()

    expect([whole, part]).toEqual([content, content.slice(2, 12)])
    expect(wholeRanges).toEqual([undefined, 'bytes=4-', 'bytes=8-', 'bytes=12-'])
    expect(ranges).toEqual(['bytes=2-11', 'bytes=6-11'])
  })

  test('fails with 503 if it breaks a fourth time', async () => {
    breakConnection(10)

    const stream = await withTimeLimit(10_000, () => files().stream('key'))

    await expect(buffer(stream)).rejects.toMatchObject(unavailable)
    expect(ranges).toHaveLength(4)
  })

  test('is not completed with the bytes of a file that replaced it', async () => {
    breakConnection(1, true)

    await expect(files().read('key')).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringContaining('replaced'),
    })
  })
})

test.each([
  ['503 in HTML', 503, 'text/html', '<html><body><h1>Service Unavailable</h1></body></html>'],
  ['502 without a body', 502, 'text/plain', ''],
  ['500 in XML', 500, 'application/xml', '<Error><Code>InternalError</Code></Error>'],
])('each call fails with 503 if S3 answers with %s', async (_name, status, type, body) => {
  react = (_request, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body)
  }

  const outcomes = await Promise.allSettled([
    files().read('key'),
    files().head('key'),
    files().remove(['key']),
    files().put('key', Buffer.from('bytes'), { mimeType: 'text/plain', sha256: '00'.repeat(32) }),
  ])

  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
})

test('downloads that nobody reads do not delay other calls', async () => {
  react = (_request, response) => {
    response.setHeader('Content-Length', String(10_000_000)).write(Buffer.alloc(1_000_000))
  }
  const store = files()
  const unread = await Promise.all(Array.from({ length: 60 }, () => store.stream('key')))
  react = (_request, response) => {
    response.setHeader('ETag', '"1"').end()
  }

  const object = await withTimeLimit(2_000, () => store.head('key'))
  for (const stream of unread) (stream as Readable).destroy()

  expect(object?.etag).toBe('"1"')
})

const xml = { 'Content-Type': 'application/xml' }

test('removing objects fails if S3 refuses to delete one of them', async () => {
  react = (_request, response) => {
    const error = '<Error><Key>kept</Key><Code>InternalError</Code><Message>Again, please.</Message></Error>'
    response.writeHead(200, xml).end(`<DeleteResult>${error}</DeleteResult>`)
  }

  await expect(files().remove(['gone', 'kept'])).rejects.toMatchObject(unavailable)
})

test('more objects than one call may delete are removed in several calls', async () => {
  const named: number[] = []
  react = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    named.push(Buffer.concat(chunks).toString().split('<Key>').length - 1)
    response.writeHead(200, xml).end('<DeleteResult/>')
  }

  await files().remove(Array.from({ length: 2_001 }, (_, at) => `key ${at}`))
  await files().remove([])

  expect(named).toEqual([1_000, 1_000, 1])
})

test('copying an object that was replaced meanwhile fails with 503', async () => {
  react = (_request, response) => {
    response.writeHead(412, xml).end('<Error><Code>PreconditionFailed</Code></Error>')
  }

  const copying = files().copy('from', 'to', { mimeType: 'text/plain', etag: '"1"' })

  await expect(copying).rejects.toMatchObject({
    ...unavailable,
    message: expect.stringContaining('replaced'),
  })
})
