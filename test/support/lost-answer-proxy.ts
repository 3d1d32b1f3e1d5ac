import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the service that the caller never received. */
export type LostAnswer = { status: number; body: string; etag: string | null }

/**
 * A proxy in front of the service that forwards every request, and closes the connection once the whole answer has
 * arrived: the caller never receives it. `lost` has the answers by the Idempotency-Key of their request.
 */
export async function startLostAnswerProxy(baseUrl: string) {
  const lost = new Map<unknown, LostAnswer>()
  const server = createServer(async (request) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(baseUrl + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      redirect: 'manual',
    })
    const { status, headers: fields } = answer
    lost.set(headers['idempotency-key'], { status, body: await answer.text(), etag: fields.get('etag') })
    request.socket.destroy()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
