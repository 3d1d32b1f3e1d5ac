import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

/** Opens S3 and SQS inside the thread that `doors.ts` starts, and tells that thread's parent where. */
const { filesDir, opens, accessKeyId } = workerData as {
  filesDir: string
  opens: ('S3' | 'SQS')[]
  accessKeyId: string
}

const doors = { S3: openS3, SQS: openSqs }
const opened = await Promise.all(opens.map(async (service) => [service, await doors[service]()] as const))
parentPort?.postMessage(Object.fromEntries(opened))
// A door that nothing holds open would close.
setInterval(() => {}, 1_000_000)

type ObjectOptions = { start?: number; end?: number }
type StoredObject = { content: unknown; range?: { start: number; end: number } } | null
type Store = {
  getObject: (bucket: string, key: string, options?: ObjectOptions) => Promise<StoredObject>
  getResourcePath: (bucket: string, key: string, resource: string) => string
}

async function openS3(): Promise<string> {
  // CommonJS without types.
  const require = createRequire(import.meta.url)
  const S3rver = require('@20minutes/s3rver') as new (
    options: object,
  ) => { run: () => Promise<{ port: number }>; store: Store }
  const { DUMMY_ACCOUNT: account } = require('@20minutes/s3rver/lib/models/account') as {
    DUMMY_ACCOUNT: { createKeyPair: (id: string, secret: string) => void }
  }
  account.createKeyPair(accessKeyId, 'any')
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: filesDir,
    vhostBuckets: false,
    allowMismatchedSignatures: true,
  })
  giveFirstByteAlone(server.store)
  const { port } = await server.run()
  return `http://127.0.0.1:${port}`
}

/** s3rver takes the range `bytes=0-0` for the whole object: its last byte is falsy. */
function giveFirstByteAlone(store: Store): void {
  const getObject = store.getObject.bind(store)
  store.getObject = async (bucket, key, options) => {
    const object = await getObject(bucket, key, options?.end === 0 ? { ...options, end: 1 } : options)
    if (object === null || options?.end !== 0 || !object.content) return object
    ;(object.content as { destroy: () => void }).destroy()
    object.content = createReadStream(store.getResourcePath(bucket, key, 'object'), { start: 0, end: 0 })
    object.range = { start: 0, end: 0 }
    return object
  }
}

async function openSqs(): Promise<string> {
  const { buildApp } = await import('fauxqs')
  // Its own way to start would listen on every interface.
  return buildApp({ logger: false }).listen({ port: 0, host: '127.0.0.1' })
}
