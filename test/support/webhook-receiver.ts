import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Api } from './api.ts'

/** A request that a receiver got. */
export type Received = {
  headers: Record<string, string>
  body: string
  event: { type: string; timestamp: string; data: { id: string; case_id: string | null } }
  path: string
  at: number
  /** By `performance.now()` of this process. */
  arrived: number
}

export type Answer = number | ((request: Received, response: ServerResponse) => void)

/** A server on this machine that keeps every request, and gives the answer that the test has set. */
export type Receiver = {
  url: string
  received: Received[]
  /** The answer from now on: a status, or a function that answers, or never does. */
  answer: (how: Answer) => void
  /** The largest number of requests that were open at once. */
  mostAtOnce: () => number
  /** Waits until there are enough requests. @throws Error after a minute */
  until: (isEnough: (received: Received[]) => boolean) => Promise<Received[]>
  first: () => Promise<Received>
  close: () => Promise<void>
}

/** Starts receivers that end with the test that has started them. */
export function receivers(): typeof startReceiver {
  const started: Receiver[] = []
  afterEach(async () => {
    await Promise.all(started.splice(0).map(({ close }) => close()))
  })
  return async (...answer) => {
    const receiver = await startReceiver(...answer)
    started.push(receiver)
    return receiver
  }
}

export async function startReceiver(first: Answer = 204): Promise<Receiver> {
  const received: Received[] = []
  let how = first
  let open = 0
  let most = 0
  const server = createServer(async (incoming, response) => {
    open += 1
    most = Math.max(most, open)
    response.on('close', () => {
      open -= 1
    })
    const body = await textOf(incoming)
    const headers = incoming.headers as Record<string, string>
    const request = {
      headers,
      body,
      event: JSON.parse(body),
      path: incoming.url ?? '',
      at: epochMilliseconds(),
      arrived: performance.now(),
    }
    received.push(request)
    if (typeof how === 'number') response.writeHead(how).end()
    else how(request, response)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const until = async (isEnough: (received: Received[]) => boolean): Promise<Received[]> => {
    for (const end = performance.now() + 60_000; !isEnough(received); await sleep(20))
      if (performance.now() > end)
        throw new Error(`Only got: ${received.map(({ event }) => event.type).join(', ')}`)
    return received
  }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      how = next
    },
    mostAtOnce: () => most,
    until,
    first: async () => {
      const [first] = await until(({ length }) => length > 0)
      return first as Received
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export type Hook = { id: string; secret: string }

const path = '/api/v1/webhooks/endpoints'

/** Adds an endpoint of a firm. */
export async function addHook(owner: Api, url: string, more: object = {}): Promise<Hook> {
  const { status, body } = await owner('POST', path, { body: { url, ...more } })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The deliveries to an endpoint, newest first. */
export async function deliveriesTo(owner: Api, { id }: Pick<Hook, 'id'>, query = '') {
  const { status, body } = await owner('GET', `${path}/${id}/deliveries?limit=100&${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data
}
