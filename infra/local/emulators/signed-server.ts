import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { listen } from '#loopback-http/listen.ts'
import { reasonToRefuse } from '#loopback-http/loopback.ts'
import { readBody } from '#loopback-http/read-body.ts'
import { sendUnread } from '#loopback-http/send-unread.ts'
import { BadSignature, type Credentials, verifySignature } from './signature.ts'

/** A call whose signature is valid. */
export type Call = {
  /** `Encrypt` of `X-Amz-Target: TrentService.Encrypt`; `SendRawEmail` of a form with `Action=SendRawEmail`. */
  operation: string
  headers: IncomingMessage['headers']
  body: Buffer
}

type Answer = { status: number; headers?: OutgoingHttpHeaders; body: string | Buffer }

/** An error of the service. The client gets its type. */
export class ServiceError extends Error {
  readonly type: string

  constructor(type: string, message = type) {
    super(message)
    this.type = type
  }
}

/** The format of the calls and errors of a service. */
export type Protocol = {
  contentType: string
  operationOf: (headers: IncomingMessage['headers'], body: Buffer) => string
  errorAnswer: (status: number, type: string, message: string) => Answer
}

type ServerOptions = {
  /** The name of the service in signatures: `kms`. */
  service: string
  /** AWS JSON by default. */
  protocol?: Protocol
  credentials: Credentials
  /** A free port by default. */
  port?: number
  /** The largest body that is read. */
  maxBytes: number
}

/** A server that listens on the loopback interface. */
export type SignedServer = { endpoint: string; close: () => Promise<void> }

/**
 * Serves an AWS service to clients on this machine that sign with these credentials. It refuses all others, including
 * pages in a browser. An error in one request does not affect others.
 *
 * @throws Error if the port is taken
 */
export async function serveSigned(
  options: ServerOptions,
  handle: (call: Call) => Promise<Answer>,
): Promise<SignedServer> {
  const { protocol = jsonProtocol } = options
  const server = createServer((request, response) => {
    respond(request, response, options, handle).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return
      console.error(`The local ${options.service} failed:`, error)
      if (!response.headersSent)
        send(response, protocol, protocol.errorAnswer(500, 'InternalServerError', String(error)))
    })
  })
  const { url, close } = await listen(server, options.port ?? 0)
  return { endpoint: url, close }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { service, credentials, maxBytes, protocol = jsonProtocol }: ServerOptions,
  handle: (call: Call) => Promise<Answer>,
): Promise<void> {
  response.on('error', () => {})
  // Caller and service share a clock, so a client has nothing to correct.
  response.sendDate = false
  const { errorAnswer } = protocol
  const refuseUnread = (status: number, type: string, message: string): void => {
    const { body } = errorAnswer(status, type, message)
    sendUnread(request, response, { status, headers: [['Content-Type', protocol.contentType]], body })
  }
  const foreign = reasonToRefuse(request)
  if (foreign !== undefined) return refuseUnread(403, 'AccessDeniedException', foreign)
  if (request.method !== 'POST' || request.url !== '/')
    return refuseUnread(404, 'UnknownOperationException', 'Only POST / is available.')
  const body = await readBody(request, maxBytes)
  if (body === undefined) return refuseUnread(413, 'RequestEntityTooLargeException', 'The body is too large.')
  try {
    await verifySignature(request, { service, credentials, body })
  } catch (error) {
    if (!(error instanceof BadSignature)) throw error
    return send(response, protocol, errorAnswer(403, 'InvalidSignatureException', error.message))
  }
  const { headers } = request
  const call = { operation: protocol.operationOf(headers, body), headers, body }
  const answer = await handle(call).catch((error: unknown) => {
    if (error instanceof ServiceError) return errorAnswer(400, error.type, error.message)
    throw error
  })
  send(response, protocol, answer)
}

const jsonProtocol: Protocol = {
  contentType: 'application/x-amz-json-1.1',
  operationOf: (headers) => String(headers['x-amz-target'] ?? '').replace(/^.*\./, ''),
  errorAnswer: (status, type, message) => ({
    status,
    headers: { 'x-amzn-ErrorType': type },
    body: JSON.stringify({ __type: type, message }),
  }),
}

function send(
  response: ServerResponse,
  { contentType }: Protocol,
  { status, headers = {}, body }: Answer,
): void {
  const own = { 'Content-Type': contentType, 'x-amzn-RequestId': randomUUID() }
  response.writeHead(status, { ...own, ...headers }).end(body)
}
