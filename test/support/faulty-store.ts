import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Call } from './fake-dynamodb.ts'

/** The treatment of a call: it is executed, executed without an answer, dropped, or refused because of load. */
export type Fault = 'none' | 'lose the answer' | 'drop' | 'refuse'

/**
 * The local database behind a proxy that loses and refuses calls. `fault` selects them, and may be set at any time.
 */
export async function faultyStore(databaseUrl: string) {
  const store = { fault: (_call: Call): Fault => 'none' }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    const fault = store.fault({ operation, input: JSON.parse(body.toString()) })
    if (fault === 'drop') {
      request.socket.destroy()
      return
    }
    if (fault === 'refuse') {
      const refusal = 'ProvisionedThroughputExceededException'
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(
        JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${refusal}`, message: refusal }),
      )
      return
    }
    const answer = await passedOn(databaseUrl, request, body)
    if (fault === 'lose the answer') {
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(store, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

/** Forwards a call with its own `Host`, which its signature covers. */
async function passedOn(databaseUrl: string, { headers }: IncomingMessage, body: Buffer) {
  const call = requestOf(databaseUrl, { method: 'POST', headers: { ...headers, connection: 'close' } })
  call.end(body)
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const shown = ['content-type', 'x-amz-crc32'].flatMap((name) => {
    const value = answer.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { status: answer.statusCode ?? 502, headers: Object.fromEntries(shown), body: Buffer.concat(chunks) }
}
