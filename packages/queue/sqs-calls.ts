import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'

/** The calls of SQS that this service makes, with a client of their own. `queueUrl` is the address of the queue. */
export function sqsCalls() {
  const client = createClient()
  return {
    /** @param group whose message it is: SQS gives out the messages of groups by turns, if one has many (fair queues) */
    send: async (queueUrl: string, body: string, group: string): Promise<void> => {
      await client.send(
        new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageGroupId: group }),
      )
    },

    /** Has a message that was received come again in so many seconds from now. */
    hide: async (queueUrl: string, receiptHandle: string, seconds: number): Promise<void> => {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      )
    },
  }
}

/** A client that gives up soon: the sweeper sends what was not sent. */
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
