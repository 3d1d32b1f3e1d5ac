import { mkdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { escapeHtml } from '#kernel/escape-html.ts'
import { listen } from '#loopback-http/listen.ts'
import { sendUnread } from '#loopback-http/send-unread.ts'
import { collectWhenIdle } from '../collect-when-idle.ts'
import { removeExpired } from './expired-objects.ts'
import { admitToBucket } from './s3-guard.ts'
import { type BucketRights, withRights } from './s3-rights.ts'
import { giveFirstByteAlone, type Store, storeWhole } from './s3-store.ts'
import { removeSentMails } from './sent-mails.ts'
import { BadSignature, type Credentials } from './signature.ts'

/** The local S3: s3rver, which keeps objects as files, behind a guard. It runs in the thread that `thread.ts` starts. */
const { port, filesDir, mailDir, bucket, rights, credentials } = workerData as {
  port: number
  filesDir: string
  mailDir?: string
  bucket: string
  rights: BucketRights
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

const statusOf: Record<string, number> = { InternalError: 500, MethodNotAllowed: 405, NotImplemented: 501 }

const s3rver = createS3rver()
await s3rver.configureBuckets()
await removeOld()
collectWhenIdle()
setInterval(removeOld, 24 * 60 * 60_000)
const serveObject = s3rver.callback()
const serve = withRights(s3rver.store, { bucket, rights }, (request, response) => {
  if (request.method === 'DELETE' && uploadIdOf(request) !== null) abortUpload(request, response)
  else serveObject(request, response)
})
const server = createServer((request, response) => {
  response.on('error', () => {})
  // Caller and service share a clock, so a client has nothing to correct.
  response.sendDate = false
  admitToBucket(request, { bucket, credentials })
    .then(() => serve(request, response))
    .catch((error: unknown) => refuse(request, response, error))
})
const { url } = await listen(server, port)
parentPort?.postMessage(url)

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
    // The guard has verified the signature. s3rver computes another one for presigned URLs.
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: bucket, configs: [uploadsFromAnyPage] }],
  })
  stayInside(s3rver.store)
  storeWhole(s3rver.store, incomingDir)
  giveFirstByteAlone(s3rver.store)
  if (mailDir !== undefined) removeSentMails(s3rver.store, mailDir)
  return s3rver
}

/** Objects are files, whose times the machine keeps: their age does not follow a moved clock. */
function removeOld(): Promise<void> {
  // biome-ignore lint/plugin: The files have the time of the machine.
  return removeExpired(s3rver.store, bucket, new Date()).catch((error: unknown) =>
    console.error('Objects that are too old could not be removed:', error),
  )
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

/** Removes the parts of an aborted upload, which s3rver does not do. */
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

/** Sends an error in the format of S3. Pages of other origins may read it, like the answer to an upload. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const isOurs = error instanceof BadSignature
  if (!isOurs) console.error('The guard of the local S3 failed:', error)
  const { code, message } = isOurs ? error : { code: 'InternalError', message: 'See the log.' }
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeHtml(message)}</Message></Error>`
  const headers: [string, string][] = [
    ['Content-Type', 'application/xml'],
    ['Access-Control-Allow-Origin', '*'],
  ]
  sendUnread(request, response, { status: statusOf[code] ?? 403, headers, body })
}
