import type { IncomingMessage } from 'node:http'

/**
 * Reads a request's body.
 *
 * @returns undefined as soon as it is known to be longer than `limitBytes`; the rest is then left unread.
 * @throws when the caller goes away in the middle.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  if (announcesMore(request, limitBytes)) return Promise.resolve(undefined)
  if (announcesNothing(request)) {
    request.resume()
    return Promise.resolve(nothing)
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let sizeBytes = 0

  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= limitBytes) {
      chunks.push(chunk)
      return
    }
    request.pause().removeAllListeners('data')
    resolve(undefined)
  })
  request.once('end', () => resolve(Buffer.concat(chunks)))
  request.once('error', reject)
  request.once('close', () => reject(new Error('The caller went away.')))
  return promise
}

/** Whether `Content-Length` alone says that the body is too long. */
export function announcesMore(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes
}

/** Whether the request has no body: one that has says how long it is, or comes in chunks (RFC 9112, 6.3). */
function announcesNothing({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

const nothing = Buffer.alloc(0)
