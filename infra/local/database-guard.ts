import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Server } from 'node:net'
import type { Credentials } from './emulators/signature.ts'
import { type Answer, type Call, serveSigned } from './emulators/signed-server.ts'
import { runGuarded } from './run-guarded.ts'

/** The first message to this process. It comes with the server that listens for it. */
export type GuardedDatabase = {
  /** The program, and its command line. */
  command: string
  commandLine: string[]
  /** The address at which it will listen. */
  address: { host: string; port: number }
  /** Only calls that are signed with these credentials reach it. */
  credentials: Credentials
}

/**
 * Runs dynoxide and is the only access to it. Dynoxide itself accepts every signature, every `Host` and every
 * `Origin`.
 *
 * The server was opened outside of the network namespace of this process (`database.ts`). So the machine can reach
 * the server, but only this process can reach dynoxide. Both end with the parent process.
 */
const [{ command, commandLine, address, credentials }, server] = (await once(process, 'message')) as [
  GuardedDatabase,
  Server,
]
process.disconnect()
/** DynamoDB's limit for a request. */
const maxBodyBytes = 16 * 1024 * 1024
/** Longer than any caller waits. */
const maxWaitMilliseconds = 60_000
const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 })
runGuarded(command, commandLine)
await serveSigned({ service: 'dynamodb', credentials, port: server, maxBytes: maxBodyBytes }, forward)

/** Forwards a call. @throws Error if dynoxide gives no complete answer; the call may have taken effect */
async function forward({ headers, body }: Call): Promise<Answer> {
  const passed = Object.fromEntries(
    ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'].map((name) => [
      name,
      String(headers[name] ?? ''),
    ]),
  )
  const call = request({
    ...address,
    agent,
    method: 'POST',
    headers: { ...passed, 'content-length': body.length },
    timeout: maxWaitMilliseconds,
  })
  call.on('timeout', () => call.destroy(new Error('Dynoxide did not answer.')))
  call.end(body)
  const [answer] = await once(call, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      ['content-type', 'x-amzn-requestid', 'x-amz-crc32'].flatMap((name) =>
        answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]],
      ),
    ),
    body: Buffer.concat(chunks),
  }
}
