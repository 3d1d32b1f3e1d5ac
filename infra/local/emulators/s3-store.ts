import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { oneAfterAnother } from '#kernel/one-after-another.ts'

type StoredObject = { content: unknown; range?: { start: number; end: number } } | null
/** The content is a request, or the parts of an upload one after the other, which have no headers. */
type NewObject = {
  bucket: string
  key: string
  content: AsyncIterable<Buffer> & Partial<Pick<IncomingMessage, 'headers'>>
  metadata: object
}

/** How s3rver keeps objects. */
export type Store = {
  getBucketPath: (bucket: string) => string
  getResourcePath: (bucket: string, key: string | undefined, resource: string) => string
  existsObject: (bucket: string, key: string) => Promise<boolean>
  getMetadata: (bucket: string, key: string) => Promise<{ etag: string }>
  getObject: (
    bucket: string,
    key: string,
    options?: { start?: number; end?: number },
  ) => Promise<StoredObject>
  putObject: (object: NewObject) => Promise<{ size: number; md5: string }>
  putMetadata: (bucket: string, key: string, metadata: object, md5: string) => Promise<void>
  copyObject: (
    fromBucket: string,
    from: string,
    toBucket: string,
    to: string,
    headers: Record<string, string> | null,
  ) => Promise<object>
  deleteObject: (bucket: string, key: string) => Promise<void>
}

/**
 * Stores, copies and removes objects as S3 does. An object exists when all its bytes have arrived and match the signed
 * digest. The store of s3rver alone writes in place and copies unfinished objects. When it removes an empty folder, it
 * also removes objects that were stored there meanwhile.
 *
 * @param incomingDir where objects are while their bytes arrive; on the same disk
 */
export function storeWhole(store: Store, incomingDir: string): void {
  /** Changes of one object wait for each other. */
  const inTurn = oneAfterAnother()

  /** @param demandedEtag what the bytes must be */
  const write = async ({ bucket, key, content, metadata }: NewObject, demandedEtag?: string) => {
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
        createWriteStream(incoming),
      )
      const signed = String(content.headers?.['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD')
      if (signed !== 'UNSIGNED-PAYLOAD' && signed !== digests.sha256.digest('hex'))
        throw refusal(400, 'The bytes are not those that were signed.')
      const md5 = digests.md5.digest('hex')
      if (demandedEtag !== undefined && demandedEtag !== JSON.stringify(md5))
        throw refusal(412, 'The object is another one by now.')
      await inTurn(key, async () => {
        await moveTo(incoming, store.getResourcePath(bucket, key, 'object'))
        await store.putMetadata(bucket, key, metadata, md5)
      })
      return { size, md5 }
    } catch (error) {
      await rm(incoming, { force: true })
      throw error
    }
  }

  store.putObject = (object) => write(object)

  store.copyObject = async (fromBucket, from, toBucket, to, headers) => {
    if (headers === null) throw refusal(501, 'A copy needs its own metadata.')
    const content = createReadStream(store.getResourcePath(fromBucket, from, 'object'))
    const copy = { bucket: toBucket, key: to, content, metadata: headers }
    await write(copy, headers['x-amz-copy-source-if-match'])
    return store.getMetadata(toBucket, to)
  }

  store.deleteObject = (bucket, key) =>
    inTurn(key, async () => {
      for (const resource of ['object', 'object.md5', 'metadata.json'])
        await unlink(store.getResourcePath(bucket, key, resource)).catch(unless('ENOENT'))
      // Removes a folder only if it is empty at this moment.
      let folder = dirname(store.getResourcePath(bucket, key, 'object'))
      while (folder !== store.getBucketPath(bucket) && (await removeEmpty(folder))) folder = dirname(folder)
    })
}

/** Moves a file to a path whose folders may not exist, or may be removed by others meanwhile. */
async function moveTo(file: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(dirname(path), { recursive: true })
      return await rename(file, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === maxMoves) throw error
    }
  }
}

const maxMoves = 20

/** @returns whether the folder is gone; false if something is in it */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

function unless(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error
  }
}

/** An error that s3rver answers with this status and message. */
function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status, expose: true })
}

/** Answers the range `bytes=0-0`. s3rver takes it for the whole object, because its last position is falsy. */
export function giveFirstByteAlone(store: Store): void {
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
