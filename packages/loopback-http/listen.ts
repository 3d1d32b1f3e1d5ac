import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens on the loopback interface. Clients keep connections open, and so does the server: if one were closed just as
 * the client sends its next request, the client would get an error.
 *
 * @param port 0 for a free one
 * @returns `url`: the address, without a slash at its end; `close` ends the server and all its connections
 * @throws Error if the port is taken
 */
export async function listen(
  server: Server,
  port: number,
): Promise<{ url: string; close: () => Promise<void> }> {
  server.keepAliveTimeout = 120_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
