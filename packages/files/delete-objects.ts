import { DeleteObjectsCommand, type ObjectIdentifier, type S3Client } from '@aws-sdk/client-s3'

/** S3 refused to delete an object. */
export class NotDeleted extends Error {
  override name = 'NotDeleted'
}

/**
 * Deletes at most 1 000 objects (S3 API, DeleteObjects).
 *
 * @throws NotDeleted if S3 refuses to delete one of them; the status of its answer is 200 even then
 */
export async function deleteObjects(
  client: S3Client,
  bucket: string,
  objects: ObjectIdentifier[],
  abortSignal?: AbortSignal,
): Promise<void> {
  const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } })
  const { Errors = [] } = await client.send(command, abortSignal && { abortSignal })
  const [refused] = Errors
  if (refused !== undefined)
    throw new NotDeleted(`${refused.Key} could not be deleted: ${refused.Code} ${refused.Message}`)
}
