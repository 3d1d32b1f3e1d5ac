import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Gateway, openGateway } from '#infra/local/gateway.ts'
import type { LocalFunction } from '#infra/local/load-functions.ts'
import type { ResponseStream } from '#infra/local/response-stream.ts'
import { localFunction } from '#test/support/local-function.ts'

const idleMilliseconds = 500
const patientMilliseconds = 120_000
let gateway: Gateway
/** One that waits longer than a test: what it closes, it closes because the reader is gone. */
let patient: Gateway
/** The sources that are read from at this moment, as a store sees its open connections. */
let open: Set<Readable>

beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  open = new Set()
  gateway = await openGateway(0, { idleMilliseconds })
  patient = await openGateway(0, { idleMilliseconds: patientMilliseconds })
  const functions = [
    streaming('/endless', async (stream) => {
      await setTimeout(30)
      stream.begin({ statusCode: 200, headers: {} })
      await pipeline(endless(), stream as Writable)
    }),
    streaming('/known-length', async (stream) => {
      stream.begin({ statusCode: 200, headers: { 'Content-Length': '1000000' } })
      await pipeline(endless(), stream as Writable)
    }),
    streaming('/stalls', async (stream) => {
      stream.begin({ statusCode: 200, headers: {} })
      stream.write('the first part')
      await new Promise(() => {})
    }),
    streaming('/throws', () => Promise.reject(new Error('before the answer began'))),
    streaming('/breaks', async (stream) => {
      stream.begin({ statusCode: 200, headers: {} })
      stream.write('the first part')
      throw new Error('after the answer began')
    }),
  ]
  for (const one of [gateway, patient]) one.serve(functions)
})
afterEach(() => Promise.all([gateway.close(), patient.close()]))

test('readers who disconnect before or after the answer begins leave nothing open', async () => {
  for (const waitMilliseconds of [3, 60]) {
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = await request('GET', '/endless', patient)
        socket.resume()
        await setTimeout(waitMilliseconds)
        socket.destroy()
      }),
    )
  }

  await setTimeout(60)
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 60_000 })
})

test('a caller that stops reading is disconnected when the idle time is over, not before', async () => {
  const socket = await request('GET', '/endless')
  await once(socket, 'readable')

  await setTimeout(idleMilliseconds / 2)
  const openEarly = open.size
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 60_000 })
  socket.destroy()

  expect(openEarly).toBe(1)
})

test('a reader who is slow but keeps reading is not disconnected', async () => {
  const socket = await request('GET', '/endless')
  const until = performance.now() + 3 * idleMilliseconds
  while (performance.now() < until) {
    socket.read()
    await setTimeout(20)
  }
  const openLate = open.size
  socket.destroy()

  expect(openLate).toBe(1)
})

test('an answer that does not continue is broken off when the idle time is over', async () => {
  const answer = await fetch(`${gateway.baseUrl}/stalls`)

  await expect(answer.text()).rejects.toThrow()
})

test('an answer to HEAD reads no body', async () => {
  const answer = await fetch(`${patient.baseUrl}/known-length`, { method: 'HEAD' })

  expect(answer.headers.get('content-length')).toBe('1000000')
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 60_000 })
})

test('an error in a streaming function affects only its request: 500 before its answer begins, an incomplete answer after', async () => {
  const before = await fetch(`${gateway.baseUrl}/throws`)
  const after = fetch(`${gateway.baseUrl}/breaks`).then((answer) => answer.text())

  expect(before.status).toBe(500)
  await expect(after).rejects.toThrow()
  expect((await fetch(`${gateway.baseUrl}/throws`)).status).toBe(500)
})

function streaming(path: `/${string}`, stream: (stream: ResponseStream) => Promise<unknown>): LocalFunction {
  return localFunction([path], () => undefined, { stream: (_event, response) => stream(response) })
}

function endless(): Readable {
  const chunk = Buffer.alloc(64 * 1024)
  const source = new Readable({
    read() {
      this.push(chunk)
    },
  })
  open.add(source)
  source.once('close', () => open.delete(source))
  return source
}

async function request(method: string, path: string, { baseUrl } = gateway): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return socket
}
