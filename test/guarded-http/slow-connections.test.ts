import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { guardedFetch } from '#guarded-http/guarded-fetch.ts'
import { guardedPoster } from '#guarded-http/guarded-post.ts'
import type { Address } from '#guarded-http/look-up.ts'

/**
 * The addresses of a server that is far away. Its IPv6 address cannot be reached from here, just as from AWS Lambda.
 */
const addresses: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
const resolve = async () => addresses

/**
 * The thread of the server accepts no connection while `isFull` is 1. When its queue is full, the system drops new
 * connections, and the client tries again after a second.
 */
const source = `
const { createServer } = require('node:http')
const { parentPort, workerData } = require('node:worker_threads')
const server = createServer((_, response) => response.writeHead(204).end())
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  parentPort.on('message', () => {
    parentPort.postMessage('full')
    Atomics.wait(workerData, 0, 1)
  })
})
`
const isFull = new Int32Array(new SharedArrayBuffer(4))
let server: Worker
let url: string
const fillers: Socket[] = []

const nextMessage = () => new Promise<unknown>((done) => server.once('message', done))

beforeAll(async () => {
  server = new Worker(source, { eval: true, workerData: isFull })
  url = `http://far.example:${await nextMessage()}/`
})
afterEach(async () => {
  while (Atomics.load(isFull, 0) === 1) await sleep(50)
})
afterAll(async () => {
  for (const socket of fillers) socket.destroy()
  await server.terminate()
})

/** Fills the queue of the server, and empties it after 600 milliseconds. */
const beFar = async () => {
  Atomics.store(isFull, 0, 1)
  server.postMessage('be full')
  await nextMessage()
  const port = Number(new URL(url).port)
  for (let at = 0; at < 4; at += 1)
    fillers.push(createConnection({ port, host: '127.0.0.1' }).on('error', () => {}))
  await sleep(100)
  setTimeout(() => {
    Atomics.store(isFull, 0, 0)
    Atomics.notify(isFull, 0)
  }, 600)
}

it('a post reaches a server that accepts the connection only after more than 250 ms', async () => {
  const poster = guardedPoster(url, { milliseconds: 10_000, allowLoopback: true, resolve })
  await beFar()

  expect(await poster.post('{}', {})).toMatchObject({ status: 204 })
  poster.close()
})

it('a fetch reaches such a server', async () => {
  const fetch = guardedFetch({ allowPrivate: true, milliseconds: 10_000, resolve })
  await beFar()

  expect(await fetch(url)).toMatchObject({ status: 204 })
})
