import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, Server, type Socket } from 'node:net'
import { foreignTo } from '#loopback-http/loopback.ts'
import { type Credentials, verifySignature } from './emulators/signature.ts'
import { ServiceError, serveSigned } from './emulators/signed-server.ts'
import { runGuarded } from './run-guarded.ts'

/** The first message to this process. It comes with the server that listens for it. */
export type GuardedDatabase = {
  /** The program, and its command line. */
  command: string
  commandLine: string[]
  /** The address at which it will listen. */
  address: { host: string; port: number }
  /** Only clients that sign with these credentials reach it. */
  credentials: Credentials
}

/**
 * Runs dynoxide and is the only access to it. Dynoxide itself accepts every signature, every `Host` and every
 * `Origin`.
 *
 * The server was opened outside of the network namespace of this process (`database.ts`). So the machine can reach
 * the server, but only this process can reach dynoxide. Both end with the parent process.
 *
 * The first request of a connection shows that the client has the credentials. Then the connection is passed through:
 * nobody else can send on it, and reading each call here would take as long as dynoxide itself.
 */
const [{ command, commandLine, address, credentials }, server] = (await once(process, 'message')) as [
  GuardedDatabase,
  Server,
]
process.disconnect()
/** DynamoDB's limit for a request. */
const maxBodyBytes = 16 * 1024 * 1024
const maxHeadBytes = 16 * 1024
runGuarded(command, commandLine)
const refusing = new Server()
await serveSigned({ service: 'dynamodb', credentials, port: refusing, maxBytes: maxBodyBytes }, () =>
  Promise.reject(new ServiceError('SerializationException', 'Send the request with its Content-Length.')),
)
server.on('connection', (socket) => {
  let received = Buffer.alloc(0)
  socket.setNoDelay().on('error', () => socket.destroy())
  socket.on('data', function read(chunk) {
    received = Buffer.concat([received, chunk])
    const first = firstRequest(received)
    if (first === 'incomplete') return
    socket.off('data', read).pause()
    void isAllowed(first).then((allowed) => (allowed ? passThrough : refuse)(socket, received))
  })
})

type FirstRequest = { request: IncomingMessage; body: Buffer }

/** Undefined if it is too long, or not written as clients of AWS write it. */
function firstRequest(received: Buffer): FirstRequest | 'incomplete' | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return received.length > maxHeadBytes ? undefined : 'incomplete'
  const [requestLine, ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const byName = Object.fromEntries(headers)
  const bodyBytes = Number(byName['content-length'])
  const isPlain =
    requestLine === 'POST / HTTP/1.1' &&
    Object.keys(byName).length === headers.length &&
    byName['transfer-encoding'] === undefined &&
    bodyBytes <= maxBodyBytes
  if (!isPlain) return undefined
  const body = received.subarray(headEnd + 4)
  if (body.length < bodyBytes) return 'incomplete'
  const request = { method: 'POST', url: '/', headers: byName } as unknown as IncomingMessage
  return { request, body: body.subarray(0, bodyBytes) }
}

async function isAllowed(first: FirstRequest | undefined): Promise<boolean> {
  if (first === undefined || foreignTo(first.request) !== undefined) return false
  return verifySignature(first.request, { service: 'dynamodb', credentials, body: first.body }).then(
    () => true,
    () => false,
  )
}

/** If dynoxide ends, or closes the connection, so does this one: the client connects again. */
function passThrough(socket: Socket, received: Buffer): void {
  const database = connect(address).setNoDelay()
  database.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  socket.on('close', () => database.destroy())
  database.write(received)
  socket.pipe(database).pipe(socket)
}

/** The server reads the request again, and says what is wrong with it. */
function refuse(socket: Socket, received: Buffer): void {
  refusing.emit('connection', socket)
  socket.emit('data', received)
  socket.resume()
}
