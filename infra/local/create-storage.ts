import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type QueueName, queues } from '#functions/manifest.ts'
import { CannotStart } from './cannot-start.ts'

/**
 * Makes sure that the bucket is there and takes uploads from any page.
 *
 * @throws CannotStart when no S3 answers.
 */
export async function createBucket(name: string): Promise<void> {
  const client = new S3Client({ maxAttempts: 3 })
  try {
    await client.send(new CreateBucketCommand({ Bucket: name })).catch(unlessThere)
    const rule = { AllowedMethods: ['PUT'], AllowedOrigins: ['*'], AllowedHeaders: ['*'] }
    await client.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration: { CORSRules: [rule] } }))
  } catch (error) {
    throw new CannotStart(
      `S3 at ${process.env.AWS_ENDPOINT_URL_S3} does not give a bucket: ${String(error)}`,
      error,
    )
  } finally {
    client.destroy()
  }
}

function unlessThere(error: unknown): void {
  const isThere = error instanceof Error && /^(BucketAlreadyOwnedByYou|BucketAlreadyExists)$/.test(error.name)
  if (!isThere) throw error
}

/**
 * Makes sure that every queue of the manifest is there, with the one its failed messages are put aside in.
 *
 * @returns their addresses, by the variables that functions read them from.
 * @throws CannotStart when no SQS answers.
 */
export async function createQueues(prefix: string): Promise<Record<string, string>> {
  const client = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false })
  try {
    const created = Object.entries(queues).map(async ([name, { visibilitySeconds, maxReceives }]) => {
      const failed = await create(client, `${prefix}-${name}-failed`, {})
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({ QueueUrl: failed, AttributeNames: ['QueueArn'] }),
      )
      const url = await create(client, `${prefix}-${name}`, {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: Attributes?.QueueArn,
          maxReceiveCount: maxReceives,
        }),
      })
      return [queueVariable(name as QueueName), url] as const
    })
    return Object.fromEntries(await Promise.all(created))
  } catch (error) {
    throw new CannotStart(
      `SQS at ${process.env.AWS_ENDPOINT_URL_SQS} does not give queues: ${String(error)}`,
      error,
    )
  } finally {
    client.destroy()
  }
}

/** The variable that functions read the address of a queue from. */
export function queueVariable(name: QueueName): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`
}

async function create(client: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  )
  return QueueUrl
}
