import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that is one calendar and takes whatever is put into it. The tests with Radicale are about a real one. */
export async function startToyCaldav(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    request.resume()
    if (request.method !== 'PROPFIND') return void response.writeHead(201).end()
    response.writeHead(207, { 'Content-Type': 'application/xml' }).end(
      `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>${request.url}</href><propstat>
<prop><resourcetype><collection/><C:calendar/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/calendar/`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
