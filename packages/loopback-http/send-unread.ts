import type { IncomingMessage, ServerResponse } from 'node:http'

export type ShortAnswer = {
  status: number
  headers: [name: string, value: string | string[]][]
  body: string | Buffer
}

const lingerMilliseconds = 1_000

/**
 * Answers a request whose body was not read to the end, and then closes the connection. The answer has a
 * `Content-Length`, so the caller knows when it is complete. The connection stays open for a moment, in which the rest
 * of the body is discarded. If it was closed while the caller still sends, it would be reset, and the caller could lose
 * the answer.
 */
export function sendUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ShortAnswer,
): void {
  for (const [name, value] of headers) response.setHeader(name, value)
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.setHeader('Connection', 'close')
  response.writeHead(status)
  if (request.method !== 'HEAD') response.write(body)

  const timer = setTimeout(() => response.end(() => request.destroy()), lingerMilliseconds)
  request.once('end', () => response.end())
  request.once('close', () => clearTimeout(timer))
  request.on('error', () => {})
  request.resume()
}
