import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A Textract that answers only when the test allows it. */
export type ToyTextract = {
  endpoint: string
  /** How many requests wait for their answer. */
  waiting: () => number
  /** Answers all waiting requests, and from then on every request at once: each page has this one line. */
  release: (line: string) => void
  /** Lets every request wait again. */
  hold: () => void
  stop: () => Promise<void>
}

/** Starts a Textract that supports only `DetectDocumentText`, the operation for single pages. */
export async function startToyTextract(): Promise<ToyTextract> {
  let released = Promise.withResolvers<string>()
  let waiting = 0
  const server = createServer(async (request, response) => {
    request.resume()
    waiting += 1
    const Text = await released.promise
    waiting -= 1
    const Blocks = [{ BlockType: 'LINE', Id: crypto.randomUUID(), Text, Confidence: 99 }]
    response
      .writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify({ DocumentMetadata: { Pages: 1 }, Blocks }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => waiting,
    release: (line) => released.resolve(line),
    hold: () => {
      released = Promise.withResolvers<string>()
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
