import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server with one calendar that accepts everything. The tests with Radicale use a real server. */
export type ToyCaldav = {
  url: string
  /** The stored objects, by path. */
  objects: Map<string, string>
  /** The paths that were ever stored. */
  stored: ReadonlySet<string>
  /** Answers 503 to everything until it is called with false. */
  fail: (fails: boolean) => void
  /** Waits for this before it stores an object. If it throws, nothing is stored and the connection breaks. */
  beforePut: (wait: () => Promise<unknown>) => void
  stop: () => void
}

export async function startToyCaldav(): Promise<ToyCaldav> {
  const objects = new Map<string, string>()
  const stored = new Set<string>()
  let fails = false
  let wait: () => Promise<unknown> = async () => {}
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = (await request.toArray()).join('')
    if (fails) return void response.writeHead(503).end()
    if (request.method === 'DELETE') return void response.writeHead(objects.delete(path) ? 204 : 404).end()
    if (request.method !== 'PROPFIND') {
      try {
        await wait()
      } catch {
        return void response.destroy()
      }
      objects.set(path, body)
      stored.add(path)
      return void response.writeHead(201).end()
    }
    response.writeHead(207, { 'Content-Type': 'application/xml' }).end(
      `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>${request.url}</href><propstat>
<prop><resourcetype><collection/><C:calendar/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/calendar/`,
    objects,
    stored,
    fail: (now) => {
      fails = now
    },
    beforePut: (given) => {
      wait = given
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
