import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'

/**
 * The maximum number of messages that SQS accepts in one call. Messages are small (ids, times, the data of events), so
 * together they are below the size limit of SQS.
 */
const maxMessagesInCall = 10

/**
 * `group`: the workspace of the message. Even if one group has many messages, SQS delivers those of other groups
 * without much delay (fair queues).
 */
type Message = { body: string; group: string; delaySeconds: number }

/** A message that waits to be sent together with others, and the callbacks of its sender. */
type Waiting = Message & { resolve: () => void; reject: (error: unknown) => void }

/** The calls of SQS that this service makes, and their client. `queueUrl` is the address of the queue. */
export function sqsCalls() {
  const client = createClient()
  const waiting = new Map<string, Waiting[]>()

  const sendTogether = async (QueueUrl: string, messages: Waiting[]): Promise<void> => {
    const Entries = messages.map(({ body, group, delaySeconds }, at) => ({
      Id: String(at),
      MessageBody: body,
      MessageGroupId: group,
      ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
    }))
    try {
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
      for (const { Id, Code, Message } of Failed)
        messages[Number(Id)]?.reject(new Error(`SQS refused a message: ${Code} ${Message ?? ''}`))
      for (const { resolve } of messages) resolve()
    } catch (error) {
      for (const { reject } of messages) reject(error)
    }
  }

  const sendWaiting = (queueUrl: string): void => {
    const messages = waiting.get(queueUrl) ?? []
    waiting.delete(queueUrl)
    for (let start = 0; start < messages.length; start += maxMessagesInCall)
      void sendTogether(queueUrl, messages.slice(start, start + maxMessagesInCall))
  }

  return {
    /** Sends a message. Messages that are sent at the same time share a call. */
    send: (queueUrl: string, sent: Message): Promise<void> =>
      new Promise((resolve, reject) => {
        const message = { ...sent, resolve, reject }
        const others = waiting.get(queueUrl)
        if (others !== undefined) {
          others.push(message)
          return
        }
        waiting.set(queueUrl, [message])
        queueMicrotask(() => sendWaiting(queueUrl))
      }),

    /** Makes a received message available again after a number of seconds. */
    postpone: async (queueUrl: string, receiptHandle: string, seconds: number): Promise<void> => {
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

/** A client with short time limits: if a message is not sent, the sweeper (`packages/jobs`) tries again later. */
function createClient(): SQSClient {
  return new SQSClient({
    maxAttempts: 2,
    // Uses the endpoint of the region or of the environment, not the host of the queue's address.
    useQueueUrlAsEndpoint: false,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
      // The limit for an answer that stops after its headers.
      socketTimeout: 4_000,
    }),
  })
}
