import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { MessageDefinition, SendMessage } from '#jobs/job.ts'

/** Sends messages to the queue of this stage that the definition names. */
export function queueSender<Payload extends z.ZodType>({
  queue,
}: MessageDefinition<Payload>): SendMessage<z.input<Payload>> {
  const client = createClient()
  return async (payload) => {
    await client.send(
      new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify(payload) }),
    )
  }
}

/** Has a message that was received come again in so many seconds from now. */
export function messageHider<Payload extends z.ZodType>({ queue }: MessageDefinition<Payload>) {
  const client = createClient()
  return async ({ receiptHandle }: Pick<SQSRecord, 'receiptHandle'>, seconds: number): Promise<void> => {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl(queue),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
  }
}

/** Short of patience: what is not sent now, the sweeper sends. */
function createClient(): SQSClient {
  return new SQSClient({
    maxAttempts: 2,
    // The endpoint of the region, or the one that the environment names: not what an address happens to say.
    useQueueUrlAsEndpoint: false,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    }),
  })
}

function queueUrl(queue: string): string {
  const name = `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`
  const url = process.env[name]
  if (!url) throw new Error(`${name} is not set: it is the address of the queue ${queue} of this stage.`)
  return url
}
