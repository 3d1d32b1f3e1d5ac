import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteMessageCommand, type Message, SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { queues } from '#functions/queues.ts'
import { queueVariable } from '#queue/queue-variable.ts'
import { localAccount, localRegion } from './aws-place.ts'
import { type FairQueue, fairQueue } from './fair-queue.ts'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'

/** Delivers the messages of queues to functions. */
export type Pump = {
  /** Whether no function works on a message, and none waits for one here. */
  isIdle: () => boolean
  /**
   * Whether a function has processed this reception of a message. If the message is still in the queue, it is delivered
   * again later.
   */
  hasTried: (receiptHandle: string) => boolean
  /** Receives no further messages. Resolves when the current ones are finished, or take too long. */
  stop: () => Promise<void>
}

/** A laptop has fewer processors than Lambda, so a queue has only this part of its `maxConcurrency`, at least one. */
const shareAtOnce = 0.5

const pauseAfterFailureMilliseconds = 1_000
const maxWaitMilliseconds = 5_000

/**
 * Delivers the messages of every queue to its function like Lambda's event source, one message per invocation, with
 * the workspaces taking turns. A message stays in the queue if the function reports it as failed, throws or takes too
 * long. It is delivered again after its visibility timeout, until the queue moves it to the dead-letter queue.
 */
export function startPump(functions: readonly LocalFunction[]): Pump {
  const client = new SQSClient({ maxAttempts: 1, useQueueUrlAsEndpoint: false })
  const stopping = new AbortController()
  /** The receipt handles of the last attempts, by message. */
  const tried = new Map<string, string>()
  const fairQueues: FairQueue[] = []
  let working = 0

  const work = async (fn: LocalFunction, url: string, queue: FairQueue): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const next = await queue.next()
        if (next === undefined) continue
        working += 1
        await handle(fn, url, next.message).finally(() => {
          working -= 1
          next.release()
        })
      } catch (error) {
        if (stopping.signal.aborted) return
        console.error(`The queue of ${fn.name} could not be processed:`, error)
        await sleep(pauseAfterFailureMilliseconds)
      }
    }
  }

  const handle = async (fn: LocalFunction, url: string, message: Message): Promise<void> => {
    const { MessageId: id = '', ReceiptHandle: handle = '' } = message
    tried.set(id, handle)
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
    tried.delete(id)
  }

  const workers = functions.flatMap((fn) => {
    if (fn.consumes === undefined) return []
    const url = process.env[queueVariable(fn.consumes.queue)] ?? ''
    const count = Math.max(1, Math.floor(fn.consumes.maxConcurrency * shareAtOnce))
    const { visibilitySeconds } = queues[fn.consumes.queue]
    const queue = fairQueue({
      client,
      url,
      visibilitySeconds,
      // One thread stays free for other workspaces.
      maxOfOneWorkspace: Math.max(1, count - 1),
      stopping: stopping.signal,
    })
    fairQueues.push(queue)
    return Array.from({ length: count }, () => work(fn, url, queue))
  })
  return {
    isIdle: () => working === 0 && fairQueues.every((queue) => queue.isEmpty()),
    hasTried: (receiptHandle) => [...tried.values()].includes(receiptHandle),
    stop: async () => {
      stopping.abort()
      // Messages that take longer are delivered again after the next start.
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
    eventSourceARN: `arn:aws:sqs:${localRegion()}:${localAccount}:${fn.consumes?.queue}`,
    awsRegion: localRegion(),
  }
}
