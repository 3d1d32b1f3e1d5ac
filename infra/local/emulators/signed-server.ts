import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBody } from '../read-body.ts'
import { sendUnread } from '../send-unread.ts'
import { BadSignature, type Credentials, sha256, verifySignature } from './signature.ts'

/** A call in the AWS JSON protocol whose signature is valid. */
export type Call = {
  /** `Encrypt` of `X-Amz-Target: TrentService.Encrypt`. */
  operation: string
  headers: IncomingMessage['headers']
  body: Buffer
}

export type Answer = { status: number; headers?: OutgoingHttpHeaders; body: string }

/** An error that the service declares: the client is given its type. */
export class ServiceError extends Error {
  readonly type: string

  constructor(type: string, message = type) {
    super(message)
    this.type = type
  }
}

export type ServerOptions = {
  /** The name that signatures are for: `kms`. */
  service: string
  credentials: Credentials
  /** A free one by default. */
  port?: number
  /** The largest body that is read. */
  maxBytes: number
}

/** A server that listens on the loopback interface. */
export type SignedServer = { endpoint: string; close: () => Promise<void> }

/**
 * Serves an AWS service that speaks JSON to who signs with these credentials, and refuses everybody else. Nothing that
 * goes wrong with one request reaches another.
 *
 * @throws when the port is taken.
 */
export async function serveSigned(
  options: ServerOptions,
  handle: (call: Call) => Promise<Answer>,
): Promise<SignedServer> {
  const server = createServer((request, response) => {
    respond(request, response, options, handle).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return
      console.error(`The local ${options.service} failed:`, error)
      if (!response.headersSent) send(response, errorAnswer(500, 'InternalServerError', String(error)))
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { service, credentials, maxBytes }: ServerOptions,
  handle: (call: Call) => Promise<Answer>,
): Promise<void> {
  response.on('error', () => {})
  if (request.method !== 'POST' || request.url !== '/')
    return refuse(request, response, errorAnswer(404, 'UnknownOperationException', 'Only POST / is served.'))
  const body = await readBody(request, maxBytes)
  if (body === undefined)
    return refuse(
      request,
      response,
      errorAnswer(413, 'RequestEntityTooLargeException', 'The body is too large.'),
    )
  try {
    const bodySha256 = sha256(body)
    const signed = verifySignature(request, { service, credentials, bodySha256 })
    if (signed.bodySha256 !== bodySha256)
      throw new BadSignature('InvalidSignatureException', 'The signature must cover the body.')
  } catch (error) {
    if (!(error instanceof BadSignature)) throw error
    return send(response, errorAnswer(403, 'InvalidSignatureException', error.message))
  }
  const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '')
  const answer = await handle({ operation, headers: request.headers, body }).catch((error: unknown) => {
    if (error instanceof ServiceError) return errorAnswer(400, error.type, error.message)
    throw error
  })
  send(response, answer)
}

function errorAnswer(status: number, type: string, message: string): Answer {
  return { status, headers: { 'x-amzn-ErrorType': type }, body: JSON.stringify({ __type: type, message }) }
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  sendUnread(request, response, { status, headers: [['Content-Type', 'application/x-amz-json-1.1']], body })
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  const own = { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': randomUUID() }
  response.writeHead(status, { ...own, ...headers }).end(body)
}
