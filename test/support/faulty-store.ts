import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Call } from './fake-dynamodb.ts'

/** What becomes of a call: it is carried out, carried out without an answer, dropped, or refused for load. */
export type Fault = 'none' | 'lose the answer' | 'drop' | 'refuse'

/** The local database behind a proxy that loses and refuses calls. `fault` says which, and may be set at any time. */
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
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(databaseUrl, { method: 'POST', headers: headers as never, body })
    const text = await answer.text()
    if (fault === 'lose the answer') {
      request.socket.destroy()
      return
    }
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(answer.headers.has('x-amz-crc32') && { 'x-amz-crc32': answer.headers.get('x-amz-crc32') ?? '' }),
    })
    response.end(text)
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
