import { parentPort, workerData } from 'node:worker_threads'
import { buildApp } from 'fauxqs'
import type { Credentials } from './signature.ts'
import { serveSigned } from './signed-server.ts'

/** The local SQS: fauxqs, which keeps queues in memory. It runs in the thread that `thread.ts` starts. */
const { port, credentials } = workerData as { port: number; credentials: Credentials }

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
parentPort?.postMessage(endpoint)

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
