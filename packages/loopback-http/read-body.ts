import type { IncomingMessage } from 'node:http'

/**
 * Reads the body of a request.
 *
 * @returns the body; undefined as soon as the body is known to be longer than `limitBytes`. Then the rest is not read
 * @throws Error if the caller closes the connection before the end
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
  request.once('close', () => reject(new Error('The caller closed the connection.')))
  return promise
}

/** Whether the body is too long according to `Content-Length`. */
export function announcesMore(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes
}

/** Whether the request has no body. A body has a `Content-Length` or comes in chunks (RFC 9112, 6.3). */
function announcesNothing({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

const nothing = Buffer.alloc(0)
