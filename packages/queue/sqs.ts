import type { SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { QueueDefinition } from '#jobs/job.ts'
import { once } from '#kernel/once.ts'
import { queueVariable } from './queue-variable.ts'

/**
 * Sends messages to the definition's queue of this stage, in the group of their workspace. So a firm that enqueues
 * thousands does not delay other firms (G17). A message carries the version of its payload.
 */
export function queueSender<Payload extends z.ZodType<unknown, { workspace_id: string }>>({
  queue,
  version,
}: QueueDefinition<Payload>): (
  payload: z.input<Payload>,
  /** The message cannot be received before this pause is over: at most 15 minutes. */
  options?: { delaySeconds?: number },
) => Promise<void> {
  const calls = once(loadCalls)
  // Read when the function is loaded: a test compares the queues that a function reads then with the queues that it may
  // send to.
  const url = process.env[queueVariable(queue)]
  return async (payload, { delaySeconds = 0 } = {}) =>
    (await calls()).send(required(queue, url), {
      body: JSON.stringify({ ...payload, version }),
      group: payload.workspace_id,
      delaySeconds,
    })
}

/** Makes a received message visible again after a number of seconds. */
export function messageHider<Payload extends z.ZodType>({ queue }: QueueDefinition<Payload>) {
  const calls = once(loadCalls)
  return async ({ receiptHandle }: Pick<SQSRecord, 'receiptHandle'>, seconds: number): Promise<void> =>
    (await calls()).hide(required(queue, process.env[queueVariable(queue)]), receiptHandle, seconds)
}

/** The first call loads the SQS client: functions that only read never need it. */
async function loadCalls() {
  return (await import('./sqs-calls.ts')).sqsCalls()
}

function required(queue: string, url: string | undefined): string {
  if (url) return url
  throw new Error(
    `${queueVariable(queue)} is not set: it is the address of the queue ${queue} of this stage.`,
  )
}
