import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/** The messages in the bucket that were received and are not recorded yet, as SES stores them there. */
export type ReceivedMessages = {
  /** Stores a message. It is durable once this resolves. @returns where it lies */
  put: (messageId: string, raw: Buffer) => Promise<{ bucketName: string; objectKey: string }>
  remove: (objectKey: string) => Promise<void>
}

/** The prefix that the receipt rule of a stage names, too. */
const prefix = 'received/'

/** Received messages in the bucket of this name. */
export function receivedMessages(bucket: string): ReceivedMessages {
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
