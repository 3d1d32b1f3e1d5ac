import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** A service in a thread that answers with the number of its calls, or ends in the way that the path names. */
const { port, startsOnce } = workerData as { port: number; startsOnce?: boolean }
if (startsOnce && port !== 0) throw new Error('It starts only once.')
let asked = 0

const ends: Record<string, () => void> = {
  '/throw': () =>
    setImmediate(() => {
      throw new Error('Thrown in a listener.')
    }),
  '/reject': () => void Promise.reject(new Error('Rejected and forgotten.')),
  '/exit': () => process.exit(3),
}

const server = createServer((request, response) => {
  asked += 1
  ends[request.url ?? '']?.()
  response.end(String(asked))
})
server.listen(port, '127.0.0.1', () =>
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
