import { parentPort, workerData } from 'node:worker_threads'
import { buildApp } from 'fauxqs'
import { clockOffset } from '#kernel/clock.ts'
import { collectWhenIdle } from '../collect-when-idle.ts'
import { failedQueueSuffix, type QueueState } from './queue-state.ts'
import type { Credentials } from './signature.ts'
import { serveSigned } from './signed-server.ts'

/** The local SQS: fauxqs, which keeps queues in memory. It runs in the thread that `thread.ts` starts. */
const { port, credentials } = workerData as { port: number; credentials: Credentials }

// Delays and pauses of messages follow the clock of the service (E9).
// biome-ignore lint/plugin: It is replaced here.
const machineTime = Date.now
Date.now = () => machineTime() + clockOffset()

const maxMessageBytes = 1024 * 1024
// The app itself does not listen: it would offer S3, SNS and a view of all queues without authentication.
const app = buildApp({ logger: false })
await app.ready()

const { endpoint } = await serveSigned(
  { service: 'sqs', credentials, port, maxBytes: 2 * maxMessageBytes },
  async ({ headers, body }) => {
    const answer = await app.inject({ method: 'POST', url: '/', headers: headersOf(headers), payload: body })
    return { status: answer.statusCode, headers: typeAndError(answer.headers), body: answer.body }
  },
)
collectWhenIdle()
parentPort?.postMessage(endpoint)
parentPort?.on('message', async () => parentPort?.postMessage(await state()))

/** The messages of the queues, without dead-letter queues. */
async function state(): Promise<QueueState> {
  const inspect = async (path: string) => (await app.inject({ url: `/_fauxqs/queues${path}` })).json()
  const queues: Inspected[] = await Promise.all(
    ((await inspect('')) as { name: string }[])
      .filter(({ name }) => !name.endsWith(failedQueueSuffix))
      .map(({ name }) => inspect(`/${name}`)),
  )
  const messages = queues.map((queue) => queue.messages)
  return {
    ready: messages.reduce((sum, { ready }) => sum + ready.length, 0),
    hidden: messages.flatMap(({ delayed, inflight }) => [
      ...delayed.map(({ delayUntil }) => ({ until: delayUntil })),
      ...inflight.map(({ receiptHandle, visibilityDeadline: until }) => ({ receiptHandle, until })),
    ]),
  }
}

type Inspected = {
  messages: {
    ready: object[]
    delayed: { delayUntil: number }[]
    inflight: { receiptHandle: string; visibilityDeadline: number }[]
  }
}

type Headers = Record<string, string | string[] | undefined>

/** The headers that describe the call, without the headers of the transport. */
function headersOf({ host, authorization, 'content-type': type, 'x-amz-target': target }: Headers) {
  return Object.fromEntries(
    Object.entries({ host, authorization, 'content-type': type, 'x-amz-target': target }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

function typeAndError(headers: Record<string, number | string | string[] | undefined>) {
  return Object.fromEntries(
    ['content-type', 'x-amzn-query-error'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]]],
    ),
  )
}
