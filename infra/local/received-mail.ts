import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/** The received messages in the bucket that are not recorded yet, as SES stores them. */
export type ReceivedMail = {
  /** Stores a message. It is durable once this resolves. @returns its place */
  put: (messageId: string, raw: Buffer) => Promise<{ bucketName: string; objectKey: string }>
  remove: (objectKey: string) => Promise<void>
}

/** The same prefix as in the receipt rule of a stage. */
const prefix = 'received/'

/** Received messages in the bucket of this name. */
export function receivedMail(bucket: string): ReceivedMail {
  const client = new S3Client({
    maxAttempts: 3,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  return {
    put: async (messageId, raw) => {
      const objectKey = prefix + messageId
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: objectKey, Body: raw }))
      return { bucketName: bucket, objectKey }
    },
    remove: async (objectKey) => {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: objectKey }))
    },
  }
}
