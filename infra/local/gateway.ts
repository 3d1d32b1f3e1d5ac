import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { announcesMore, readBody } from '#loopback-http/read-body.ts'
import { type ShortAnswer, sendUnread } from '#loopback-http/send-unread.ts'
import { type Answer, answerFrom, fitsLambda, type Refusal, refuse } from './answer.ts'
import { CannotStart } from './cannot-start.ts'
import type { Disk } from './disk.ts'
import { type FindRoute, findRouteAmong } from './find-route.ts'
import { createGate, type Gate } from './gate.ts'
import { invoke, TimedOut } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'
import { ResponseStream } from './response-stream.ts'
import { restEvent } from './rest-event.ts'
import { Busy, createWorkLimit, type WorkLimit, type WorkLimits } from './work-limit.ts'

/** The local API Gateway. */
export type Gateway = {
  /** Its address, without a slash at the end. */
  baseUrl: string
  /**
   * From now on, one of `pages` may answer a request, and all others are routed to these functions. Before this call every
   * request is answered 503. Answers to requests that may write wait until `disk` has the data; while it is full, such
   * requests are answered 503.
   */
  serve: (functions: readonly LocalFunction[], pages?: readonly LocalPages[], disk?: Disk) => void
  /**
   * Runs work while no function works on a request and `isQuiet` returns true; new requests wait. It waits at most ten
   * seconds for running requests.
   */
  betweenRequests: Gate['alone']
  /** Runs work like a request: not during `betweenRequests`. */
  besideRequests: Gate['pass']
  /** Accepts no more requests, finishes the open ones, and closes. */
  close: () => Promise<void>
}

/** Pages of the local environment. @returns undefined if the path is not one of them */
export type LocalPages = (
  request: Pick<IncomingMessage, 'method' | 'headers'> & { path: string; query: string; body: Buffer },
) => Promise<Answer | undefined>

/** API Gateway's limit for a request body. */
const bodyLimitBytes = 10 * 1024 * 1024

/** API Gateway's limit for a URL, in characters. */
const urlLimit = 10_240

/** How long API Gateway waits for a function. */
const integrationTimeoutSeconds = 29

/**
 * Lambda processes a burst of requests in hundreds of processes, but a laptop in one. If all requests were processed
 * at the same time, their calls to the store would time out. No single function may use all places, because some
 * requests wait for seconds, for example for the text of a document that is being read.
 */
const workLimits: Record<'all' | 'each', WorkLimits> = {
  all: { maxAtOnce: 48, maxWaiting: 4_000, maxWaitMilliseconds: 60_000 },
  each: { maxAtOnce: 32, maxWaiting: 4_000, maxWaitMilliseconds: 60_000 },
}

/** API Gateway closes a streamed answer after this time without data. */
const idleLimitMilliseconds = 5 * 60_000

/**
 * Listens on the loopback interface and behaves as a regional REST API with Lambda proxy integration: routing, events,
 * limits and timeouts. Its own answers are in the error envelope (G1, G2).
 *
 * @throws CannotStart if the port is taken or not permitted
 */
export async function openGateway(
  port: number,
  { idleMilliseconds = idleLimitMilliseconds, limits = workLimits } = {},
): Promise<Gateway> {
  let findRoute: FindRoute | undefined
  let pages: readonly LocalPages[] = []
  let disk: Disk | undefined
  let inTurn = turns(limits)
  let closing = false
  const gate = createGate({ maxWaitMilliseconds: 10_000 })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const requestId = randomUUID()
    const answer = await answerTo({
      request,
      response,
      requestId,
      findRoute,
      pages,
      disk,
      inTurn,
      gate,
    }).catch((error: unknown) => {
      // The query is not logged: it may contain a token.
      const { path } = split(request.url ?? '')
      if (!request.destroyed) console.error(`The gateway failed on ${request.method} ${path}:`, error)
      return refuse('fault', requestId)
    })
    if (response.destroyed) return discard(answer)
    if (closing) response.setHeader('Connection', 'close')
    if (request.complete) send(response, answer, idleMilliseconds)
    else sendUnread(request, response, bufferedAnswer(answer))
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch((error: unknown) => {
      console.error('The gateway could not answer:', error)
      response.destroy()
    })
  }
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, listener)
  server.on('clientError', refuseUnreadable)
  server.on('checkContinue', (request, response) => {
    if (!announcesMore(request, bodyLimitBytes)) response.writeContinue()
    listener(request, response)
  })
  server.on('checkExpectation', (request, response) =>
    sendUnread(request, response, refuse('unmetExpectation', randomUUID())),
  )
  return {
    baseUrl: `http://127.0.0.1:${await listen(server, port)}`,
    serve: (functions, localPages = [], localDisk) => {
      pages = localPages
      disk = localDisk
      findRoute = findRouteAmong(functions)
      inTurn = turns(limits)
    },
    betweenRequests: gate.alone,
    besideRequests: gate.pass,
    close: () => {
      closing = true
      return closeServer(server)
    },
  }
}

type Arrival = {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  findRoute: FindRoute | undefined
  pages: readonly LocalPages[]
  disk: Disk | undefined
  inTurn: InTurn
  gate: Gate
}

async function answerTo(arrival: Arrival): Promise<Answer> {
  const { request, response, requestId, findRoute, pages, disk, inTurn, gate } = arrival
  const url = request.url ?? ''
  if (url.length > urlLimit) return refuse('longAddress', requestId)
  if (request.headers.host === undefined) return refuse('noHost', requestId)
  const body = await readBody(request, bodyLimitBytes)
  if (body === undefined) return refuse('tooLarge', requestId)
  if (findRoute === undefined) return refuse('busy', requestId)

  const { path, query } = split(url)
  for (const pagesOf of pages) {
    const page = await pagesOf({ method: request.method, headers: request.headers, path, query, body })
    if (page !== undefined) return page
  }
  const match = findRoute(path)
  if (match === undefined) return refuse('unknownRoute', requestId)
  const event = restEvent({ request, path, query, body, requestId }, match)
  if (!fitsLambda(event)) return refuse('tooLarge', requestId)

  const fn = match.route.function
  const mayWrite = !['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '')
  if (mayWrite && (await disk?.isFull())) return refuse('full', requestId)
  try {
    const answer = await inTurn(fn, async () => {
      // The caller closed the connection while the request waited.
      if (response.destroyed) return refuse('busy', requestId)
      return gate.pass(async () => {
        if (fn.stream !== undefined) return streamedAnswer(fn, event, requestId)
        const answer = await invoke(fn, event, requestId, integrationTimeoutSeconds)
        return answerFrom(answer, request.headers.accept)
      })
    })
    if (answer !== undefined) {
      if (mayWrite) await disk?.flush()
      return answer
    }
    console.error(`The function ${fn.name} gave API Gateway no answer it can send (request ${requestId}).`)
  } catch (error) {
    if (error instanceof Busy) return refuse('busy', requestId)
    if (error instanceof TimedOut) return refuse('unavailable', requestId)
    console.error(`The function ${fn.name} failed (request ${requestId}):`, error)
  }
  return refuse('fault', requestId)
}

/** Calls the function when a place is free, and frees the place when its answer begins. */
type InTurn = <Result>(fn: LocalFunction, call: () => Promise<Result>) => Promise<Result>

function turns({ all, each }: typeof workLimits): InTurn {
  const ofAll = createWorkLimit(all)
  const ofEach = new Map<LocalFunction, WorkLimit>()
  return async (fn, call) => {
    if (fn.needsNothing) return call()
    const ofThis = ofEach.get(fn) ?? createWorkLimit(each)
    ofEach.set(fn, ofThis)
    return ofThis.run(() => ofAll.run(call))
  }
}

/** The answer of a streaming function, as soon as its head is known. */
async function streamedAnswer(fn: LocalFunction, event: unknown, requestId: string): Promise<Answer> {
  const stream = new ResponseStream()
  const done = invoke(fn, event, requestId, Number.POSITIVE_INFINITY, stream)
  done.catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))))
  const head = await Promise.race([stream.head, done.then(() => undefined)])
  if (head === undefined) throw new Error('It ended without an answer.')
  return { status: head.statusCode, headers: Object.entries(head.headers ?? {}), body: stream }
}

/** Path and query of a request target, which may contain scheme and host (RFC 9112, 3.2.2). */
function split(url: string): { path: string; query: string } {
  const [target = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('#')
  const at = target.indexOf('?')
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) }
}

function bufferedAnswer({ body, ...head }: Answer): ShortAnswer {
  if (body instanceof Readable) throw new Error('A streaming function gets a request with a whole body.')
  return { ...head, body }
}

/** Ends the stream of an answer that nobody reads, so that it keeps no resources. */
function discard({ body }: Answer): void {
  if (body instanceof Readable) body.destroy()
}

function send(response: ServerResponse, answer: Answer, idleMilliseconds: number): void {
  const { status, headers, body } = answer
  const mayHaveBody = status !== 204 && status !== 304
  try {
    for (const [name, value] of headers) response.setHeader(name, value)
    if (body instanceof Readable) {
      response.writeHead(status)
      if (response.req.method === 'HEAD') {
        discard(answer)
        response.end()
        return
      }
      // A slow reader is active as long as bytes leave the buffers of this machine.
      response.setTimeout(idleMilliseconds, () => response.destroy())
      // If one side ends early, the other ends too: a client must not mistake a part for the whole answer.
      pipeline(body, response).catch(() => response.destroy())
      return
    }
    if (mayHaveBody) response.setHeader('Content-Length', Buffer.byteLength(body))
    response.writeHead(status).end(mayHaveBody ? body : undefined)
  } catch (error) {
    console.error('A function answered with headers that HTTP does not allow:', error)
    discard(answer)
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    send(response, refuse('fault', randomUUID()), idleMilliseconds)
  }
}

/** The fault of a request that Node cannot parse, by the code of its error. */
const faults: Record<string, Refusal> = {
  HPE_INVALID_METHOD: 'unknownMethod',
  HPE_INVALID_VERSION: 'unknownVersion',
  HPE_HEADER_OVERFLOW: 'longHeaders',
  ERR_HTTP_REQUEST_TIMEOUT: 'tooSlow',
}

/** Answers requests that Node cannot parse: broken lines, oversized headers, headers that never end. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } = refuse(faults[error.code ?? ''] ?? 'malformed', randomUUID())
  const lines = [
    ...headers,
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    // New connections wait in this queue while the process is busy. If the queue is full, they are reset.
    server.listen({ port, host: '127.0.0.1', backlog: 4_096 })
    await once(server, 'listening')
  } catch (error) {
    throw new CannotStart(whyNotListening(error, port), error)
  }
  return (server.address() as AddressInfo).port
}

function whyNotListening(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const another = `Choose another one: PORT=${port < 65_535 ? port + 1 : 3000} npm start`
  if (code === 'EADDRINUSE') return `Port ${port} is in use. ${another}`
  if (code === 'EACCES') return `You do not have the permission to use port ${port}. ${another}`
  return `The gateway cannot listen on port ${port}: ${String(error)}`
}

const graceMilliseconds = 10_000

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A keep-alive connection with an open request becomes idle only after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const limit = setTimeout(() => server.closeAllConnections(), graceMilliseconds)
  await closed
  clearInterval(sweep)
  clearTimeout(limit)
}
