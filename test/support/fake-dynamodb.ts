import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as DynamoDB receives it. */
export type Call = { operation: string; input: Record<string, unknown> }

/**
 * The reaction to a call: an answer, an answer that stops or breaks off after its headers, a refusal, a proxy's answer, a
 * dropped connection, or (undefined) no answer.
 */
export type Reaction =
  | { answer: unknown }
  | { refusal: string; more?: unknown; status?: number }
  | { status: number; type: string; body: string }
  | 'stop'
  | 'break off'
  | 'drop'
  | undefined

/**
 * A server that speaks DynamoDB's protocol and fails as configured, for faults that a real database does not produce
 * on demand: throttling, lost and late answers.
 */
export async function fakeDynamoDb(react: (call: Call, count: number) => Reaction) {
  const calls: Call[] = []
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const call = {
      operation: String(request.headers['x-amz-target']).split('.')[1] ?? '',
      input: JSON.parse(body),
    }
    calls.push(call)
    const reaction = react(call, calls.length)
    if (reaction === undefined) return
    if (reaction === 'drop') {
      request.socket.destroy()
      return
    }
    if (reaction === 'stop' || reaction === 'break off') {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': 100 })
      response.write('{', () => {
        if (reaction === 'break off') setTimeout(() => response.destroy(), 20)
      })
      return
    }
    if ('body' in reaction) {
      response.writeHead(reaction.status, { 'content-type': reaction.type }).end(reaction.body)
      return
    }
    response.setHeader('content-type', 'application/x-amz-json-1.0')
    if ('answer' in reaction) {
      response.end(JSON.stringify(reaction.answer))
      return
    }
    response.statusCode = reaction.status ?? 400
    response.end(
      JSON.stringify({
        __type: `com.amazonaws.dynamodb.v20120810#${reaction.refusal}`,
        message: reaction.refusal,
        ...(reaction.more as object),
      }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    calls,
    /** Variables that make our client talk to it. */
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      TABLE_NAME: 'aktenlage-test',
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
