import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { MessageDefinition } from './job.ts'

/** Where the consumer logs failures. */
export type ConsumerLog = { error: (message: string, fields: Record<string, unknown>) => void }

/** The work is aborted so long before the Lambda's time is over, so that the Lambda can still answer. */
const answeringMilliseconds = 10_000

/**
 * The handler of a Lambda that consumes a queue. Only the messages that fail come again. During the work a message is
 * hidden from other consumers for 30 seconds at a time. So if the worker is killed, the message comes again soon, not
 * after the whole visibility timeout of the queue.
 *
 * @param deps.hide makes a message visible again so many seconds from now
 * @param deps.work must end when its signal aborts, ten seconds before the Lambda's time is over
 */
export function consume<Payload extends z.ZodType>(
  definition: MessageDefinition<Payload>,
  deps: {
    work: (payload: z.output<Payload>, signal: AbortSignal) => Promise<void>
    hide: (record: SQSRecord, seconds: number) => Promise<void>
    log: ConsumerLog
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
      const keepHidden = () => void hide(record, hiddenSeconds).catch(() => {})
      keepHidden()
      const keeping = setInterval(keepHidden, (hiddenSeconds * 1_000) / 3)
      try {
        await work(definition.payload.parse(JSON.parse(record.body)), signal)
      } catch (error) {
        failed.push(record.messageId)
        log.error('message failed', {
          queue: definition.queue,
          message_id: record.messageId,
          receive_count: record.attributes.ApproximateReceiveCount,
          error: error instanceof Error ? error.stack : String(error),
        })
        clearInterval(keeping)
        await hide(record, pauseSeconds(record)).catch(() => {})
      } finally {
        clearInterval(keeping)
      }
    }
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** For how long a message is hidden at a time. */
const hiddenSeconds = 30

/** 5, 20, 80, 320 seconds, then a quarter of an hour. */
function pauseSeconds({ attributes }: SQSRecord): number {
  return Math.min(900, 5 * 4 ** (Number(attributes.ApproximateReceiveCount) - 1))
}
