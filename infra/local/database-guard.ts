import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Server, type Socket } from 'node:net'
import { reasonToRefuse } from '#loopback-http/loopback.ts'
import { collectWhenIdle } from './collect-when-idle.ts'
import { BadSignature, type Credentials, machineTime, verifySignature } from './emulators/signature.ts'
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
 *
 * The signature of the first request of a connection shows that its client has the credentials. Then the connection is
 * passed through, since nobody else can send on it, and reading each request here would take longer than dynoxide
 * takes. A refused connection is closed. A client that then corrects its clock connects again and is verified again.
 */
const [{ command, commandLine, address, credentials }, server] = (await once(process, 'message')) as [
  GuardedDatabase,
  Server,
]
process.disconnect()
/** DynamoDB's limit for a request. */
const maxBodyBytes = 16 * 1024 * 1024
const maxHeadBytes = 16 * 1024
/** For the first request of a connection, and for the client to close a refused one. */
const maxWaitMilliseconds = 60_000
const lingerMilliseconds = 1_000
runGuarded(command, commandLine)
collectWhenIdle()
server.on('connection', (socket) => {
  socket.on('error', () => socket.destroy())
  socket.setNoDelay().setTimeout(maxWaitMilliseconds, () => socket.destroy())
  readFirst(socket, (first, received) => {
    verify(first).then(
      () => passThrough(socket, received),
      (error: unknown) => refuse(socket, error),
    )
  })
})

type First = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: Buffer }

/** Reads until the first request is complete. It is undefined if it is not a request of a DynamoDB client. */
function readFirst(socket: Socket, done: (first: First | undefined, received: Buffer) => void): void {
  let received = Buffer.alloc(0)
  let chunks: Buffer[] = []
  let missingBytes = 1
  socket.on('data', function read(chunk) {
    chunks.push(chunk)
    missingBytes -= chunk.length
    if (missingBytes > 0) return
    received = Buffer.concat([received, ...chunks])
    chunks = []
    const first = firstOf(received)
    if (typeof first === 'number') missingBytes = first
    else {
      socket.off('data', read).pause()
      done(first, received)
    }
  })
}

/** @returns the request, or the minimum number of missing bytes if it is incomplete */
function firstOf(received: Buffer): First | number | undefined {
  const headBytes = received.indexOf('\r\n\r\n') + 4
  if (headBytes < 4) return received.length > maxHeadBytes ? undefined : 1
  const [requestLine, ...lines] = received.toString('latin1', 0, headBytes - 4).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, Math.max(0, colon)).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const length = headers['content-length'] ?? ''
  const isPlain =
    requestLine === 'POST / HTTP/1.1' &&
    Object.keys(headers).length === lines.length &&
    headers[''] === undefined &&
    headers['transfer-encoding'] === undefined &&
    /^\d{1,8}$/.test(length) &&
    Number(length) <= maxBodyBytes
  if (!isPlain) return undefined
  const wholeBytes = headBytes + Number(length)
  if (received.length < wholeBytes) return wholeBytes - received.length
  return { method: 'POST', url: '/', headers, body: received.subarray(headBytes, wholeBytes) }
}

/** @throws BadSignature with the reason of the refusal */
async function verify(first: First | undefined): Promise<void> {
  if (first === undefined) throw new BadSignature('AccessDenied', 'Send POST / with the Content-Length.')
  const foreign = reasonToRefuse(first)
  if (foreign !== undefined) throw new BadSignature('AccessDenied', foreign)
  await verifySignature(first, { service: 'dynamodb', credentials, body: first.body })
}

/** If dynoxide ends, or closes the connection, this one is closed too: the client connects again. */
function passThrough(socket: Socket, received: Buffer): void {
  if (socket.destroyed) return
  const database = connect(address).setNoDelay()
  database.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  socket.setTimeout(0).on('close', () => database.destroy())
  database.write(received)
  socket.pipe(database).pipe(socket)
}

/** Answers 403, with the time of this machine, and closes the connection. */
function refuse(socket: Socket, error: unknown): void {
  if (!(error instanceof BadSignature)) console.error('The guard of the database failed:', error)
  const message = error instanceof BadSignature ? error.message : 'See the log.'
  const body = JSON.stringify({ __type: 'InvalidSignatureException', message })
  const headers = {
    Date: new Date(machineTime()).toUTCString(),
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.setTimeout(lingerMilliseconds).end(`HTTP/1.1 403 Forbidden\r\n${lines.join('')}\r\n${body}`)
  socket.resume()
}
