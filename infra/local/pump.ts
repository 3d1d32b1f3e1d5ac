import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { queueVariable } from './create-storage.ts'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** Queues on their way to the functions that work on them. */
export type Pump = {
  /** Receives no further message; resolves when those at work have been answered for, or take too long. */
  stop: () => Promise<void>
}

/** How many messages of a queue are at work at once on one machine. Most of that time scans wait for the one Textract. */
const maxAtOnce = 6

const waitSeconds = 20
const pauseAfterFailureMilliseconds = 1_000
const maxWaitMilliseconds = 5_000

/**
 * Gives the messages of every queue to its function, as Lambda's event source does: one message a run; what is
 * answered as failed, and what a run that threw or took too long was given, stays in the queue and comes again
 * after its visibility timeout, until the queue itself puts it aside.
 */
export function startPump(functions: readonly LocalFunction[]): Pump {
  const client = new SQSClient({ maxAttempts: 1, useQueueUrlAsEndpoint: false })
  const stopping = new AbortController()

  const work = async (fn: LocalFunction, url: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: 1,
            WaitTimeSeconds: waitSeconds,
            MessageSystemAttributeNames: ['All'],
          }),
          { abortSignal: stopping.signal },
        )
        for (const message of Messages) await handle(fn, url, message)
      } catch (error) {
        if (stopping.signal.aborted) return
        console.error(`The queue of ${fn.name} could not be worked on:`, error)
        await sleep(pauseAfterFailureMilliseconds)
      }
    }
  }

  const handle = async (fn: LocalFunction, url: string, message: Message): Promise<void> => {
    const event: SQSEvent = { Records: [recordOf(message, fn)] }
    try {
      const answer = (await invoke(fn, event, randomUUID())) as
        | { batchItemFailures?: { itemIdentifier: string }[] }
        | undefined
      if ((answer?.batchItemFailures ?? []).length > 0) return
    } catch (error) {
      console.error(`The function ${fn.name} failed on a message:`, error)
      return
    }
    await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }))
  }

  const workers = functions.flatMap((fn) => {
    if (fn.consumes === undefined) return []
    const url = process.env[queueVariable(fn.consumes.queue)] ?? ''
    fn.warmUp?.()
    const count = Math.min(fn.consumes.maxConcurrency, maxAtOnce)
    return Array.from({ length: count }, () => work(fn, url))
  })
  return {
    stop: async () => {
      stopping.abort()
      // What takes longer is begun anew with the next start.
      await Promise.race([Promise.all(workers), sleep(maxWaitMilliseconds)])
      client.destroy()
    },
  }
}

function recordOf(message: Message, fn: LocalFunction): SQSRecord {
  const { SenderId = '', SentTimestamp = '', ...attributes } = message.Attributes ?? {}
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? '1',
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? '',
      SenderId,
      SentTimestamp,
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:${fn.consumes?.queue}`,
    awsRegion: process.env.AWS_REGION ?? 'eu-central-1',
  }
}
