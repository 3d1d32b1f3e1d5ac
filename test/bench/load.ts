import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request to be repeated; `expected` is its answer's status. */
export type LoadRequest = {
  method: string
  path: string
  headers: Record<string, string>
  /** The body, or a function that makes a new one for every request. */
  body?: string | (() => Buffer)
  expected: number
}

/** The number of requests per second, and the time of one. */
export type Load = { perSecond: number; milliseconds: number[] }

/** Repeats the request on several keep-alive connections, on each as soon as the last answer has arrived. */
export async function load(
  baseUrl: string,
  request: LoadRequest,
  connections: number,
  seconds: number,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const milliseconds: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let sentAt = performance.now(); sentAt < endsAt; sentAt = performance.now()) {
        await send(baseUrl, request, agent)
        milliseconds.push(performance.now() - sentAt)
      }
    }),
  )
  const elapsed = performance.now() - startedAt
  agent.destroy()
  return { perSecond: milliseconds.length / (elapsed / 1_000), milliseconds }
}

function send(
  baseUrl: string,
  { method, path, headers, body, expected }: LoadRequest,
  agent: Agent,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(baseUrl + path, { method, agent, headers }, (response) => {
      if (response.statusCode === expected) {
        response.resume().once('end', resolve).once('error', reject)
        return
      }
      text(response).then(
        (answer) => reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${answer}`)),
        reject,
      )
    })
    sent.once('error', reject).end(typeof body === 'function' ? body() : body)
  })
}
