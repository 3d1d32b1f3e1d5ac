import type { IncomingMessage, ServerResponse } from 'node:http'

export type ShortAnswer = {
  status: number
  headers: [name: string, value: string | string[]][]
  body: string | Buffer
}

const lingerMilliseconds = 1_000

/**
 * Answers a request without reading its body to the end, then closes the connection. The answer has a length, so the
 * caller knows that it is complete. For a moment, further data is discarded: closing while the caller still sends
 * would reset the connection, and the caller could lose the answer.
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
