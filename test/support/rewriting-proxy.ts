import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the gateway, or a part of it. */
export type Wire = Record<string, unknown>

/**
 * A proxy before a gateway that changes its answers, for answers that a gateway may give and the simulator never
 * gives.
 */
export async function rewritingProxy(gateway: string) {
  const rules = new Map<string, (answer: Wire) => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const name = (request.url ?? '').split('/').at(-1) ?? ''
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'bex-ident': '' }
    const answer = await fetch(new URL(name, gateway.endsWith('/') ? gateway : `${gateway}/`), {
      method: 'POST',
      headers: { ...headers, 'bex-ident': String(request.headers['bex-ident']) },
      body: Buffer.concat(chunks),
    })
    let body = Buffer.from(await answer.arrayBuffer())
    const rule = rules.get(name)
    if (rule !== undefined) {
      const content: Wire = JSON.parse(body.toString())
      try {
        rule(content)
      } catch (error) {
        content.error = `The rule of the test failed: ${String(error)}`
      }
      body = Buffer.from(JSON.stringify(content))
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Changes the answers of a function from now on. */
    rewrite: (name: string, rule: (answer: Wire) => void) => void rules.set(name, rule),
    clear: () => rules.clear(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
