import {
  CreateAliasCommand,
  CreateKeyCommand,
  type CreateKeyCommandInput,
  DescribeKeyCommand,
  KMSClient,
  NotFoundException,
} from '@aws-sdk/client-kms'
import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { queues } from '#functions/queues.ts'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { queueVariable } from '#queue/queue-variable.ts'
import { CannotStart } from './cannot-start.ts'
import { failedQueueSuffix } from './emulators/queue-state.ts'

/**
 * Creates the bucket if it is missing, and allows uploads from pages of any origin.
 *
 * @throws CannotStart if S3 does not answer
 */
export async function createBucket(name: string): Promise<void> {
  const client = new S3Client({ maxAttempts: 3, forcePathStyle: true })
  try {
    await client.send(new CreateBucketCommand({ Bucket: name })).catch(unlessThere)
    const rule = { AllowedMethods: ['PUT'], AllowedOrigins: ['*'], AllowedHeaders: ['*'] }
    await client.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration: { CORSRules: [rule] } }))
  } catch (error) {
    throw new CannotStart(`S3 at ${awsEndpoint('S3')} did not create the bucket: ${String(error)}`, error)
  } finally {
    client.destroy()
  }
}

function unlessThere(error: unknown): void {
  const isThere = error instanceof Error && /^(BucketAlreadyOwnedByYou|BucketAlreadyExists)$/.test(error.name)
  if (!isThere) throw error
}

/**
 * Creates the key for secrets and the signing key in a KMS that is not ours, if their names are aliases that it does not
 * have. They are of the same kinds as the keys of a stage.
 *
 * @param names `SECRETS_KEY_ID` and `SIGNING_KEY_ID`
 * @throws CannotStart if KMS does not answer
 */
export async function createKeys(names: { secrets: string; signing: string }): Promise<void> {
  const client = new KMSClient({ maxAttempts: 3 })
  try {
    await createKey(client, names.secrets, {})
    await createKey(client, names.signing, { KeySpec: 'RSA_3072', KeyUsage: 'SIGN_VERIFY' })
  } catch (error) {
    throw new CannotStart(`KMS at ${awsEndpoint('KMS')} did not create the keys: ${String(error)}`, error)
  } finally {
    client.destroy()
  }
}

async function createKey(client: KMSClient, name: string, kind: CreateKeyCommandInput): Promise<void> {
  if (!name.startsWith('alias/')) return
  try {
    await client.send(new DescribeKeyCommand({ KeyId: name }))
  } catch (error) {
    if (!(error instanceof NotFoundException)) throw error
    const { KeyMetadata } = await client.send(new CreateKeyCommand(kind))
    await client.send(new CreateAliasCommand({ AliasName: name, TargetKeyId: KeyMetadata?.KeyId }))
  }
}

/**
 * Creates the missing queues of the manifest, each with its dead-letter queue.
 *
 * @returns their addresses, by the names of the variables from which functions read them
 * @throws CannotStart if SQS does not answer
 */
export async function createQueues(prefix: string): Promise<Record<string, string>> {
  const client = new SQSClient({ maxAttempts: 3, useQueueUrlAsEndpoint: false })
  try {
    const failedUrls = await Promise.all(
      Object.keys(queues).map((name) => create(client, `${prefix}-${name}${failedQueueSuffix}`, {})),
    )
    const arnPrefix = await arnPrefixOf(client, failedUrls[0])
    const created = Object.entries(queues).map(async ([name, { visibilitySeconds, maxReceives }]) => {
      const url = await create(client, `${prefix}-${name}`, {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: `${arnPrefix}:${prefix}-${name}${failedQueueSuffix}`,
          maxReceiveCount: maxReceives,
        }),
      })
      return [queueVariable(name), url] as const
    })
    return Object.fromEntries(await Promise.all(created))
  } catch (error) {
    throw new CannotStart(`SQS at ${awsEndpoint('SQS')} did not create the queues: ${String(error)}`, error)
  } finally {
    client.destroy()
  }
}

/** All ARNs of an account and a region begin alike: `arn:aws:sqs:eu-central-1:123456789012`. */
async function arnPrefixOf(client: SQSClient, url: string | undefined): Promise<string> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  )
  return (Attributes?.QueueArn ?? '').replace(/:[^:]*$/, '')
}

async function create(client: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  )
  return QueueUrl
}
