import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Receivers of webhooks. They answer each request with 204, and keep nothing of it. */
export type ReceiversOrder = {
  count: number
  /** The requests that each of them gets. */
  requestsEach: number
}

/**
 * The first message of the process. It sends a second one, `arrived`, as soon as each receiver has got its requests, and
 * ends with its parent process.
 */
export type ReceiversResult = { urls: string[] }

process.once('disconnect', () => process.exit(0))

const [order]: ReceiversOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('Nobody says how many receivers are wanted.')
const { count, requestsEach } = order
let waiting = count
const urls = await Promise.all(Array.from({ length: count }, startReceiver))
const result: ReceiversResult = { urls }
process.send?.(result)

async function startReceiver(): Promise<string> {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(204).end()
      received += 1
      if (received !== requestsEach) return
      waiting -= 1
      if (waiting === 0) process.send?.('arrived')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
