import { SQSClient } from '@aws-sdk/client-sqs'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'

const accessKeyId = 'local'
const secretAccessKey = 'the secret of this run'

/** The emulated SQS in a separate thread, and its clients: with its own secret, or with another one. */
export type SqsThread = Pick<ServiceThread, 'endpoint' | 'stop'> & {
  clientWith: (secret?: string) => SQSClient
}

/** Starts the emulated SQS. It has no queues. */
export async function startSqsThread(): Promise<SqsThread> {
  const { endpoint, stop } = await startThread({
    name: 'SQS',
    module: new URL('../../infra/local/emulators/sqs.ts', import.meta.url),
    workerData: { credentials: { accessKeyId, secretAccessKey } },
  })
  const clientWith = (secret = secretAccessKey) =>
    new SQSClient({
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId, secretAccessKey: secret },
      useQueueUrlAsEndpoint: false,
      maxAttempts: 1,
    })
  return { endpoint, stop, clientWith }
}
