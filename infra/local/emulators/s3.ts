import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { sharedFlushes, syncFile, syncFolder } from '../disk.ts'
import { escapeMarkup } from '../escape.ts'
import { sendUnread } from '../send-unread.ts'
import { admitToBucket } from './s3-guard.ts'
import { BadSignature, type Credentials } from './signature.ts'

/** The local S3: s3rver, which keeps objects as files, behind a guard. It runs in the thread that `thread.ts` starts. */
const { port, filesDir, bucket, credentials } = workerData as {
  port: number
  filesDir: string
  bucket: string
  credentials: Credentials
}
const incomingDir = join(filesDir, '.incoming')
rmSync(incomingDir, { recursive: true, force: true })
mkdirSync(incomingDir, { recursive: true })
// Uploads in parts that an earlier run did not complete. On AWS the bucket's lifecycle aborts them.
rmSync(join(filesDir, bucket, '._S3rver_uploads'), { recursive: true, force: true })

const uploadsFromAnyPage = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin><AllowedMethod>PUT</AllowedMethod><AllowedHeader>*</AllowedHeader>
</CORSRule></CORSConfiguration>`

/** Objects that are stored in one folder at the same time share its flush. */
const flushFolder = sharedFlushes(syncFolder)

const statusOf: Record<string, number> = { InternalError: 500, MethodNotAllowed: 405, NotImplemented: 501 }

const s3rver = createS3rver()
await s3rver.configureBuckets()
const serveObject = s3rver.callback()
const server = createServer((request, response) => {
  response.on('error', () => {})
  try {
    admitToBucket(request, { bucket, credentials })
  } catch (error) {
    refuse(request, response, error)
    return
  }
  if (request.method === 'DELETE' && uploadIdOf(request) !== null) abortUpload(request, response)
  else serveObject(request, response)
})
server.listen(port, '127.0.0.1', () =>
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)

type StoredObject = { content: unknown; range?: { start: number; end: number } } | null
/** The content is a request, or the parts of an upload one after the other, which have no headers. */
type NewObject = {
  bucket: string
  key: string
  content: AsyncIterable<Buffer> & Partial<Pick<IncomingMessage, 'headers'>>
  metadata: object
}
type Store = {
  getBucketPath: (bucket: string) => string
  getResourcePath: (bucket: string, key: string | undefined, resource: string) => string
  getObject: (
    bucket: string,
    key: string,
    options?: { start?: number; end?: number },
  ) => Promise<StoredObject>
  putObject: (object: NewObject) => Promise<{ size: number; md5: string }>
  putMetadata: (bucket: string, key: string, metadata: object, md5: string) => Promise<void>
}
type S3rver = {
  store: Store
  configureBuckets: () => Promise<void>
  callback: () => (request: IncomingMessage, response: ServerResponse) => void
}

function createS3rver(): S3rver {
  // CommonJS without types.
  const require = createRequire(import.meta.url)
  const Server = require('@20minutes/s3rver') as new (options: object) => S3rver
  const { DUMMY_ACCOUNT: account } = require('@20minutes/s3rver/lib/models/account') as {
    DUMMY_ACCOUNT: { createKeyPair: (id: string, secret: string) => void }
  }
  account.createKeyPair(credentials.accessKeyId, credentials.secretAccessKey)
  const s3rver = new Server({
    silent: true,
    directory: filesDir,
    vhostBuckets: false,
    // The guard has verified the signature. s3rver computes another one for presigned addresses.
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: bucket, configs: [uploadsFromAnyPage] }],
  })
  stayInside(s3rver.store)
  storeWhole(s3rver.store)
  giveFirstByteAlone(s3rver.store)
  return s3rver
}

/** Refuses keys outside the folder of the bucket: in a path, in a copy and in the body of a deletion. */
function stayInside(store: Store): void {
  const folder = join(filesDir, bucket)
  const { getBucketPath, getResourcePath } = store
  store.getBucketPath = (name) => {
    if (name !== bucket) throw new Error('There is only one bucket.')
    return getBucketPath.call(store, name)
  }
  store.getResourcePath = (name, key, resource) => {
    const path = getResourcePath.call(store, name, key, resource)
    if (name === bucket && path.startsWith(folder + sep)) return path
    throw new Error('The key is outside the bucket.')
  }
}

/** Stores an object only when all its bytes have arrived and match the signed digest. s3rver alone would write in place. */
function storeWhole(store: Store): void {
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const path = store.getResourcePath(bucket, key, 'object')
    const incoming = join(incomingDir, randomUUID())
    const digests = { md5: createHash('md5'), sha256: createHash('sha256') }
    let size = 0
    try {
      await pipeline(
        content,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            size += chunk.length
            digests.md5.update(chunk)
            digests.sha256.update(chunk)
            yield chunk
          }
        },
        // Flushed to the disk before it is closed: who is answered may forget the bytes.
        createWriteStream(incoming, { flush: true }),
      )
      const signed = String(content.headers?.['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD')
      if (signed !== 'UNSIGNED-PAYLOAD' && signed !== digests.sha256.digest('hex'))
        throw Object.assign(new Error('The bytes are not those that were signed.'), {
          status: 400,
          expose: true,
        })
      await mkdir(dirname(path), { recursive: true })
      await rename(incoming, path)
    } catch (error) {
      await rm(incoming, { force: true })
      throw error
    }
    const md5 = digests.md5.digest('hex')
    await store.putMetadata(bucket, key, metadata, md5)
    await Promise.all([
      ...['metadata.json', 'object.md5'].map((resource) =>
        syncFile(store.getResourcePath(bucket, key, resource)),
      ),
      // The names of the files, and that of a new folder.
      ...[dirname(path), dirname(dirname(path))].map(flushFolder),
    ])
    return { size, md5 }
  }
}

/** Removes the parts of an upload that is given up, which s3rver does not. */
function abortUpload(request: IncomingMessage, response: ServerResponse): void {
  const uploads = s3rver.store.getResourcePath(bucket, undefined, 'uploads')
  rm(join(uploads, uploadIdOf(request) ?? ''), { recursive: true, force: true }).then(
    () => response.writeHead(204).end(),
    (error: unknown) => refuse(request, response, error),
  )
}

function uploadIdOf({ url = '' }: IncomingMessage): string | null {
  return new URLSearchParams(url.split(/\?(.*)/s, 2)[1]).get('uploadId')
}

/** Answers the range `bytes=0-0`. s3rver takes it for the whole object, because its last position is falsy. */
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

/** Sends an error in the format of S3. Pages of other origins may read it, like the answer to an upload. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const isOurs = error instanceof BadSignature
  if (!isOurs) console.error('The guard of the local S3 failed:', error)
  const { code, message } = isOurs ? error : { code: 'InternalError', message: 'See the log.' }
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeMarkup(message)}</Message></Error>`
  const headers: [string, string][] = [
    ['Content-Type', 'application/xml'],
    ['Access-Control-Allow-Origin', '*'],
  ]
  sendUnread(request, response, { status: statusOf[code] ?? 403, headers, body })
}
