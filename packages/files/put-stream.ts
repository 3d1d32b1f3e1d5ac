import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

/** S3 allows 10 000 parts, so an object has at most 78 GiB. Each part except the last must have at least 5 MiB. */
const partBytes = 8 * 1024 * 1024

type Upload = { bucket: string; key: string; mimeType: string; signal: AbortSignal }

/**
 * Stores an object while its bytes arrive. Only one part is in memory at a time. The object is durable once this
 * resolves, and replaces an earlier object at that moment. If the bytes cannot be read or the signal aborts, the upload
 * is aborted. If the process is killed, a lifecycle rule of the bucket aborts the upload.
 *
 * @returns the size of the object
 * @throws the error of reading the bytes, or of S3
 */
export async function putStream(
  client: S3Client,
  { bucket, key, mimeType, signal }: Upload,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> {
  const object = { Bucket: bucket, Key: key }
  const options = { abortSignal: signal }
  const sent: { PartNumber: number; ETag: string | undefined }[] = []
  let uploadId: string | undefined
  let sizeBytes = 0

  const send = async (part: Uint8Array) => {
    uploadId ??= (
      await client.send(new CreateMultipartUploadCommand({ ...object, ContentType: mimeType }), options)
    ).UploadId
    const PartNumber = sent.length + 1
    const { ETag } = await client.send(
      new UploadPartCommand({ ...object, UploadId: uploadId, PartNumber, Body: part }),
      options,
    )
    sent.push({ PartNumber, ETag })
  }

  try {
    let rest: Uint8Array = new Uint8Array()
    for await (const part of parts(bytes)) {
      signal.throwIfAborted()
      sizeBytes += part.length
      if (part.length === partBytes) await send(part)
      else rest = part
    }
    signal.throwIfAborted()
    if (uploadId === undefined) {
      await client.send(new PutObjectCommand({ ...object, ContentType: mimeType, Body: rest }), options)
      return sizeBytes
    }
    if (rest.length > 0) await send(rest)
    const MultipartUpload = { Parts: sent }
    await client.send(
      new CompleteMultipartUploadCommand({ ...object, UploadId: uploadId, MultipartUpload }),
      options,
    )
    return sizeBytes
  } catch (error) {
    if (uploadId !== undefined)
      await client
        .send(new AbortMultipartUploadCommand({ ...object, UploadId: uploadId }))
        .catch(() => undefined)
    throw error
  }
}

/** Splits the bytes into parts of the same size. Only the last part may be smaller. */
async function* parts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; ) {
      const taken = Math.min(chunk.length - start, partBytes - filled)
      part.set(chunk.subarray(start, start + taken), filled)
      start += taken
      filled += taken
      if (filled < partBytes) continue
      yield part
      part = Buffer.allocUnsafe(partBytes)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}
