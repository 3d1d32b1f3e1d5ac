import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { MessageDefinition } from './job.ts'

/** Where failures are written down; powertools' Logger is one. */
export type ConsumerLog = { error: (message: string, fields: Record<string, unknown>) => void }

/** Left of a Lambda's time for saying what became of its messages once the work has been given up. */
const answeringMilliseconds = 10_000

/**
 * The handler of a Lambda that works on a queue. Each message is answered for by itself: one that fails comes
 * again, the others do not. While a message is worked on it is kept away from others for half a minute at a
 * time: should the worker be killed, it comes again soon, not after the queue's whole visibility timeout.
 *
 * @param hide has a message come again in so many seconds from now.
 * @param work ends when its signal does, a while before the Lambda's time is over.
 */
export function consume<Payload extends z.ZodType>(
  definition: MessageDefinition<Payload>,
  world: {
    work: (payload: z.output<Payload>, signal: AbortSignal) => Promise<void>
    hide: (record: SQSRecord, seconds: number) => Promise<void>
    log: ConsumerLog
  },
): (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<SQSBatchResponse> {
  const { work, hide, log } = world
  return async ({ Records }, context) => {
    const signal = AbortSignal.timeout(
      Math.max(1, context.getRemainingTimeInMillis() - answeringMilliseconds),
    )
    const failed: string[] = []
    for (const record of Records) {
      const keep = () => void hide(record, keptSeconds).catch(() => {})
      keep()
      const keeping = setInterval(keep, (keptSeconds * 1_000) / 3)
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

/** For how long a message is kept away from others at a time. */
const keptSeconds = 30

/** 5, 20, 80, 320 seconds, then a quarter of an hour. */
function pauseSeconds({ attributes }: SQSRecord): number {
  return Math.min(900, 5 * 4 ** (Number(attributes.ApproximateReceiveCount) - 1))
}
