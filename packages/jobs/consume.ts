import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { LogOf } from '#kernel/log.ts'
import { isOfWrongRelease } from '#kernel/wrong-release.ts'
import type { QueueDefinition } from './job.ts'
import { payloadOf } from './payload.ts'

/** The work is aborted this time before the Lambda must end, so that the Lambda can still answer. */
const answeringMilliseconds = 10_000

/**
 * The handler of a Lambda that consumes a queue. Only the messages that fail come again. During the work a message is
 * hidden from other consumers for 30 seconds at a time. So if the worker is killed, the message comes again soon, not
 * after the whole visibility timeout of the queue. If this release does not understand a message, or must not work on
 * it, the message comes again after the longest pause. So a newer release has more than an hour to take it.
 *
 * @param deps.hide makes a message visible again after a number of seconds
 * @param deps.work must end when its signal aborts, ten seconds before the Lambda's time is over. `receptions`: how
 *   often the message was received, this time included
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
    const signal = AbortSignal.timeout(
      Math.max(1, context.getRemainingTimeInMillis() - answeringMilliseconds),
    )
    const failed: string[] = []
    for (const record of Records) {
      if (definition.notices?.includes(record.body.trim())) continue
      let hiding = Promise.resolve()
      const keepHidden = () => {
        hiding = hide(record, hiddenSeconds).catch(() => {})
      }
      let isUnderstood = false
      keepHidden()
      const keeping = setInterval(keepHidden, (hiddenSeconds * 1_000) / 3)
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
        clearInterval(keeping)
        // The queue keeps the pause of the last call.
        await hiding
        const mayWork = isUnderstood && !isOfWrongRelease(error)
        await hide(record, mayWork ? pauseSeconds(record) : longestPauseSeconds).catch(() => {})
      } finally {
        clearInterval(keeping)
      }
    }
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** How long a message is hidden at a time. */
const hiddenSeconds = 30

/**
 * A quarter of an hour. If this release does not understand a message or the table, a newer release may have written
 * it, during a rollout or before a rollback. With this pause such a message is tried for more than an hour before the
 * dead-letter queue gets it (U3).
 */
const longestPauseSeconds = 900

/** 5, 20, 80, 320 seconds, then the longest pause. */
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
 * The version that the sender wrote. Messages of other publishers, such as SES, have none, or one in their own form.
 */
function versionOf(message: unknown): number {
  const isNamed = typeof message === 'object' && message !== null && 'version' in message
  return isNamed && typeof message.version === 'number' ? message.version : 1
}
