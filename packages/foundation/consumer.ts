import type * as z from 'zod'
import { consume } from '#jobs/consume.ts'
import type { QueueDefinition } from '#jobs/job.ts'
import { messagePostponer } from '#queue/sqs.ts'
import type { Base } from './foundation.ts'

/** The handler of a worker, which does `work` for each message of its queue. `consume` says what `work` must do. */
export function consumer<Payload extends z.ZodType>(
  { log }: Pick<Base, 'log'>,
  queue: QueueDefinition<Payload>,
  work: (payload: z.output<Payload>, signal: AbortSignal, receptions: number) => Promise<void>,
) {
  return consume(queue, { work, hide: messagePostponer(queue), log })
}
