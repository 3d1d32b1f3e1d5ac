import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the service answered, and nobody heard. */
export type LostAnswer = { status: number; body: string; etag: string | null }

/**
 * A proxy in front of the service that lets every request through, and breaks the connection off when the whole answer is
 * there: the caller never learns it. `lost` has the answers in their order.
 */
export async function startLostAnswerProxy(baseUrl: string) {
  const lost: LostAnswer[] = []
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
    lost.push({ status: answer.status, body: await answer.text(), etag: answer.headers.get('etag') })
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
