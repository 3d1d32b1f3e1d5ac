import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { LogOf } from '#kernel/log.ts'
import { isOfWrongRelease } from '#kernel/wrong-release.ts'
import type { QueueDefinition } from './job.ts'
import { payloadOf } from './payload.ts'

/** The work is aborted this long before the time limit of the Lambda, so that the Lambda can still answer. */
const reserveMilliseconds = 10_000

/**
 * The handler of a Lambda that consumes a queue. Only messages that fail are delivered again. While a message is
 * processed, it is hidden from other consumers for 30 seconds at a time. So if the worker is killed, the message is
 * delivered again soon, and not only after the visibility timeout of the queue. If this release does not understand a
 * message, or must not use the stored data, the message is delivered again after the longest pause. So a newer release
 * has more than an hour to process it.
 *
 * @param deps.hide hides a message from consumers for a number of seconds
 * @param deps.work must end when its signal aborts, ten seconds before the time limit of the Lambda. `receptions`: how
 *   often the message was received, including this time
 */
export function consume<Payload extends z.ZodType>(
  definition: QueueDefinition<Payload>,
  deps: {
    work: (payload: z.output<Payload>, signal: AbortSignal, receptions: number) => Promise<void>
    hide: (record: SQSRecord, seconds: number) => Promise<void>
    log: LogOf<'error'>
  },
): (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<SQSBatchResponse> {
  const { work, hide, log } = deps
  return async ({ Records }, context) => {
    const signal = AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - reserveMilliseconds))
    const failed: string[] = []
    for (const record of Records) {
      if (definition.notices?.includes(record.body.trim())) continue
      let hiding = Promise.resolve()
      const keepHidden = () => {
        hiding = hide(record, hiddenSeconds).catch(() => {})
      }
      let isUnderstood = false
      keepHidden()
      const timer = setInterval(keepHidden, (hiddenSeconds * 1_000) / 3)
      try {
        const payload = read(definition, record.body)
        isUnderstood = true
        await work(payload, signal, Number(record.attributes.ApproximateReceiveCount))
      } catch (error) {
        failed.push(record.messageId)
        log.error('message failed', {
          queue: definition.queue,
          message_id: record.messageId,
          receive_count: record.attributes.ApproximateReceiveCount,
          error: error instanceof Error ? error.stack : String(error),
        })
        clearInterval(timer)
        // SQS keeps the value of the last call of `hide`. So a call that runs now must end before the pause is set.
        await hiding
        const canThisReleaseProcess = isUnderstood && !isOfWrongRelease(error)
        await hide(record, canThisReleaseProcess ? pauseSeconds(record) : longestPauseSeconds).catch(() => {})
      } finally {
        clearInterval(timer)
      }
    }
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** How long a message is hidden at a time. */
const hiddenSeconds = 30

/**
 * A quarter of an hour. During a rollout or after a rollback, a newer release may have written a message or a table
 * that this release does not understand. With this pause, such a message is retried for more than an hour before it
 * goes to the dead-letter queue (U3).
 */
const longestPauseSeconds = 900

/** 5, 20, 80 and 320 seconds, then the longest pause. */
function pauseSeconds({ attributes }: SQSRecord): number {
  return Math.min(longestPauseSeconds, 5 * 4 ** (Number(attributes.ApproximateReceiveCount) - 1))
}

/** @throws Error for a message that this release does not understand */
function read<Payload extends z.ZodType>(
  definition: QueueDefinition<Payload>,
  body: string,
): z.output<Payload> {
  const message: unknown = JSON.parse(body)
  return payloadOf(`message of the queue ${definition.queue}`, definition, versionOf(message), message)
}

/**
 * The version of a message. It is 1 if the message has no version, or one that is not a number. Messages of other
 * publishers, such as SES, may have such versions.
 */
function versionOf(message: unknown): number {
  const hasVersion = typeof message === 'object' && message !== null && 'version' in message
  return hasVersion && typeof message.version === 'number' ? message.version : 1
}
