import { PassThrough, Readable, type Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endpointsOf } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'

const endpoint = endpointsOf<{ source: Readable }>()
const download = endpoint({
  method: 'GET',
  path: '/file',
  access: 'public',
  summary: 'Get the file',
  produces: 'file',
  handle: async ({ source }) => ({
    filename: 'file.bin',
    mimeType: 'application/octet-stream',
    sizeBytes: 1_000_000,
    version: '1',
    open: async () => source,
  }),
})
const log = { info: vi.fn(), error: vi.fn() }

beforeEach(() => {
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: object) => handler,
    HttpResponseStream: { from: (stream: Writable) => stream },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

test('the file is let go of when the reader is gone before its first byte', async () => {
  const source = file()
  const reader = new PassThrough()
  reader.destroy()

  await send(source, reader)

  expect(source.destroyed).toBe(true)
})

test('the file is let go of when the reader goes away in the middle', async () => {
  const source = file()
  const reader = new PassThrough()
  const sending = send(source, reader)
  await setTimeout(20)

  reader.destroy()
  await sending

  expect(source.destroyed).toBe(true)
  expect(log.error).not.toHaveBeenCalled()
})

test('a reader that disconnects is no fault, also if its connection breaks with an error', async () => {
  const reader = new PassThrough()
  const sending = send(file(), reader)
  await setTimeout(20)

  reader.destroy(new Error('Premature close'))
  await sending

  expect(log.error).not.toHaveBeenCalled()
})

test('a reader that disconnects is no fault, also if the file was read to its end', async () => {
  const short = Readable.from([Buffer.alloc(100_000)])
  const reader = new PassThrough()
  const sending = send(short, reader)
  await setTimeout(20)

  reader.destroy()
  await sending

  expect(short.readableEnded).toBe(true)
  expect(log.error).not.toHaveBeenCalled()
})

test('the file is released if the reader reads nothing for the idle time', async () => {
  const source = file()

  const startedAt = performance.now()
  await send(source, new PassThrough(), 200)

  expect(performance.now() - startedAt).toBeLessThan(20_000)
  expect(source.destroyed).toBe(true)
})

test('a file that ends early breaks the answer off, and the log says why', async () => {
  const source = new Readable({ read: () => {} })
  const reader = new PassThrough()
  const sending = send(source, reader).catch(String)
  source.push('the first part')
  await setTimeout(20)

  source.destroy(new Error('The bucket broke off.'))

  expect(await sending).toContain('The bucket broke off.')
  expect(reader.destroyed).toBe(true)
  expect(log.error).toHaveBeenCalledOnce()
})

test('a file that stops without an error breaks the answer off, and the log says so', async () => {
  const source = new Readable({ read: () => {} })
  const sending = send(source, new PassThrough()).catch(String)
  source.push('the first part')
  await setTimeout(20)

  source.destroy()

  expect(await sending).toContain('Premature close')
  expect(log.error).toHaveBeenCalledOnce()
})

function send(source: Readable, reader: Writable, idleMilliseconds?: number): Promise<void> {
  const handler = serveStreamed(
    { download },
    { services: { source }, authenticate: () => Promise.reject(new Error('Nobody asks.')), log },
    idleMilliseconds,
  ) as unknown as (event: unknown, stream: Writable, context: unknown) => Promise<void>
  const event = { httpMethod: 'GET', resource: '/file', path: '/file', headers: {}, requestContext: {} }
  return handler(event as APIGatewayProxyEvent, reader, {
    getRemainingTimeInMillis: () => 30_000,
  } as Context)
}

function file(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024))
    },
  })
}
