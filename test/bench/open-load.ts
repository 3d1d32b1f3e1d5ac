import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** The result of a request. Its time counts from when it was due, so that waiting to be sent counts. */
export type TimedAnswer = { status: number; milliseconds: number }

/** A GET, or the POST of a JSON text. */
export type EvenRequest = { url: string; key: string; body?: string | undefined }

/** Sends requests at an even rate, one after the other of the list, whether or not earlier ones are answered. */
export async function sendEvenly(
  requests: readonly EvenRequest[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<TimedAnswer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const startedAt = performance.now()
  const sent: Promise<TimedAnswer>[] = []
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const dueAt = startedAt + (at * 1_000) / perSecond
    const early = dueAt - performance.now()
    if (early > 0) await sleep(early)
    const next = requests[at % requests.length]
    if (next === undefined) break
    sent.push(send(next, agent).then((status) => ({ status, milliseconds: performance.now() - dueAt })))
  }
  const answers = await Promise.all(sent)
  agent.destroy()
  return answers
}

function send({ url, key, body }: EvenRequest, agent: Agent): Promise<number> {
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', reject)
    })
      .once('error', reject)
      .end(body)
  })
}
