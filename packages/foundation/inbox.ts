import { processArrivals } from '#inbox/arrival-schema.ts'
import { queueSender } from '#queue/sqs.ts'
import type { foundation } from './foundation.ts'

/** What arrives, for every function that receives mail or reads documents: its job, and the queue of the worker `inbound`. */
export function inboxFoundation({ jobs }: Pick<ReturnType<typeof foundation>, 'jobs'>) {
  const send = queueSender(processArrivals.message)
  jobs.handle(processArrivals.handledBy(send))
  return { send }
}
