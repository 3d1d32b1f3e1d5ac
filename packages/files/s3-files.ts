import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { failureOf } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { isTransient } from '#kernel/transient.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { deleteObjects, NotDeleted } from './delete-objects.ts'
import { putStream } from './put-stream.ts'
import { resumingStream } from './resuming-stream.ts'

/**
 * Files in the bucket of the stage. A call ends at the time limit of the request, but an opened stream can be read
 * longer, and `putStream` is limited only by its signal. If the connection breaks while an object is read, the rest is
 * requested again, up to three times.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE from each call except `putStream` if S3 does not answer in time
 */
export function s3Files(bucket: string, client = createClient()): Files {
  const get = async (
    key: string,
    { first, last }: { first?: number | undefined; last?: number | undefined },
    abortSignal: AbortSignal,
    etag?: string,
  ) => {
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: key,
      ...(first !== undefined && { Range: `bytes=${first}-${last ?? ''}` }),
      ...(etag !== undefined && { IfMatch: etag }),
    })
    const { Body, ETag } = await client.send(command, { abortSignal })
    if (Body instanceof Readable) return { body: Body, etag: ETag }
    throw new Error(`The answer of S3 for ${key} has no body.`)
  }

  const open = async (
    key: string,
    { first, last }: { first?: number; last?: number } = {},
    abortSignal: AbortSignal,
  ) => {
    const { body, etag } = await get(key, { first, last }, abortSignal)
    let resumptionsLeft = maxResumptions
    const reopen = (received: number, error: Error) =>
      withinTime(async (signal) => {
        if (resumptionsLeft === 0 || abortSignal.aborted) throw error
        resumptionsLeft -= 1
        const rest = { first: (first ?? 0) + received, last }
        const either = AbortSignal.any([abortSignal, signal])
        return (await get(key, rest, either, etag).catch(explainReplaced)).body
      })
    // Requests of clients share connections to S3. Without `bind`, `reopen` would run in the context of the request
    // that opened the connection.
    return resumingStream(body, AsyncLocalStorage.bind(reopen))
  }

  return {
    put: (key, bytes, { mimeType, sha256 }) =>
      withinTime(async (abortSignal) => {
        const command = new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: bytes,
          ContentType: mimeType,
          ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        })
        // The signature needs the digest. Without this header the SDK would compute it again.
        command.middlewareStack.add(
          (next) => (call) => {
            Object.assign((call.request as { headers: object }).headers, { 'x-amz-content-sha256': sha256 })
            return next(call)
          },
          { step: 'build' },
        )
        await client.send(command, { abortSignal })
      }),

    putStream: (key, bytes, about) => putStream(client, { bucket, key, ...about }, bytes),

    stream: (key, range) => withinTime((abortSignal) => open(key, range, abortSignal)),

    read: (key, range) =>
      withinTime(async (abortSignal) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of await open(key, range, abortSignal)) chunks.push(chunk as Uint8Array)
        const { buffer, byteOffset, byteLength } = Buffer.concat(chunks)
        return new Uint8Array(buffer, byteOffset, byteLength)
      }),

    head: (key) =>
      withinTime(async (abortSignal) => {
        try {
          const { ContentLength = 0, ETag = '' } = await client.send(
            new HeadObjectCommand({ Bucket: bucket, Key: key }),
            { abortSignal },
          )
          return { sizeBytes: ContentLength, etag: ETag }
        } catch (error) {
          // If an object is missing, S3 answers 403 to a caller that has no right to list the bucket.
          if (error instanceof S3ServiceException && missingStatuses.has(error.$metadata.httpStatusCode ?? 0))
            return undefined
          throw error
        }
      }),

    presignPut: (key, { mimeType, sizeBytes, expiresInSeconds }) => {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentType: mimeType,
        ContentLength: sizeBytes,
      })
      return getSignedUrl(
        client,
        command,
        // These headers are signed, so S3 refuses an upload whose type or size is not the announced one.
        { expiresIn: expiresInSeconds, signableHeaders: new Set(['host', 'content-type', 'content-length']) },
      )
    },

    presignGet: (key, { mimeType, contentDisposition, expiresInSeconds, isHead }) => {
      const object = {
        Bucket: bucket,
        Key: key,
        ResponseContentType: mimeType,
        ResponseContentDisposition: contentDisposition,
        ResponseCacheControl: 'no-store',
      }
      const command = isHead ? new HeadObjectCommand(object) : new GetObjectCommand(object)
      return getSignedUrl(client, command, { expiresIn: expiresInSeconds })
    },

    copy: (from, to, { mimeType, etag }) =>
      withinTime(async (abortSignal) => {
        const command = new CopyObjectCommand({
          Bucket: bucket,
          Key: to,
          CopySource: `${bucket}/${from}`,
          CopySourceIfMatch: etag,
          ContentType: mimeType,
          MetadataDirective: 'REPLACE',
        })
        await client.send(command, { abortSignal }).catch(explainReplaced)
      }),

    remove: (keys) =>
      withinTime(async (abortSignal) => {
        for (let at = 0; at < keys.length; at += maxDeletions) {
          const objects = keys.slice(at, at + maxDeletions).map((Key) => ({ Key }))
          await deleteObjects(client, bucket, objects, abortSignal).catch((error: unknown) => {
            throw error instanceof NotDeleted
              ? unavailable('A file could not be deleted.', { cause: error })
              : error
          })
        }
      }),
  }
}

/** The number of times that the rest of an object is requested again. */
const maxResumptions = 3

/** The number of objects that one call of `deleteObjects` may delete. */
const maxDeletions = 1_000

const missingStatuses = new Set([403, 404])

/**
 * An S3 client. It makes four attempts, and waits up to ten seconds for the beginning of an answer. The number of
 * connections is not limited, because a slow download keeps its connection and must not delay other calls.
 */
export function createClient(requestTimeoutMilliseconds = 10_000): S3Client {
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  return new S3Client({
    maxAttempts: 4,
    retryMode: 'standard',
    // A host name that contains the name of the bucket exists only on AWS.
    forcePathStyle: awsEndpoint('S3') !== undefined,
    // When a presigned URL is made, the body is not known, so the URL must not require a checksum of it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({
      // If this is two seconds or more, the SDK starts its timer only after a second. If the process was busy in that
      // second, it sees first that the connection is open.
      connectionTimeout: 2_000,
      requestTimeout: requestTimeoutMilliseconds,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    }),
  })
}

async function withinTime<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const milliseconds = timeLeft()
  if (milliseconds <= 0) throw unavailable(tooLate)
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), milliseconds)
  try {
    return await call(controller.signal)
  } catch (error) {
    if (failureOf(error) === undefined && isTransient(error, transientNames))
      throw unavailable(tooLate, { cause: error })
    throw error
  } finally {
    // Otherwise the signal would later abort a stream that is still being read.
    clearTimeout(timer)
  }
}

/** @throws Failure 503 if the object has another ETag now, otherwise the error itself */
function explainReplaced(error: unknown): never {
  const wasReplaced = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412
  throw wasReplaced
    ? unavailable('The file was replaced while it was read or copied.', { cause: error })
    : error
}

const tooLate = 'The files could not be reached in time.'

const transientNames = new Set(['AbortError', 'TimeoutError', 'SlowDown'])
