import type { SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { QueueDefinition } from '#jobs/job.ts'
import { once } from '#kernel/once.ts'
import { queueVariable } from './queue-variable.ts'

/**
 * Returns a function that sends messages to this queue of the stage. The group of a message is its workspace, so a firm
 * that enqueues thousands of messages does not delay other firms (G17). A message contains the version of its payload.
 */
export function queueSender<Payload extends z.ZodType<unknown, { workspace_id: string }>>({
  queue,
  version,
}: QueueDefinition<Payload>): (
  payload: z.input<Payload>,
  /** `delaySeconds`: the message can be received only after this time; at most 900. */
  options?: { delaySeconds?: number },
) => Promise<void> {
  const calls = once(loadCalls)
  // Read when this is called, not at the first message. `bundling.test.ts` records which of these variables each Lambda
  // function reads at its start. They must be exactly those of the queues to which it may send.
  const url = process.env[queueVariable(queue)]
  return async (payload, { delaySeconds = 0 } = {}) =>
    (await calls()).send(required(queue, url), {
      body: JSON.stringify({ ...payload, version }),
      group: payload.workspace_id,
      delaySeconds,
    })
}

/** Returns a function that makes a received message available again after a number of seconds. */
export function messagePostponer<Payload extends z.ZodType>({ queue }: QueueDefinition<Payload>) {
  const calls = once(loadCalls)
  return async ({ receiptHandle }: Pick<SQSRecord, 'receiptHandle'>, seconds: number): Promise<void> =>
    (await calls()).postpone(required(queue, process.env[queueVariable(queue)]), receiptHandle, seconds)
}

/** Loads the SQS client only at the first call, because Lambda functions that only read data never need it. */
async function loadCalls() {
  return (await import('./sqs-calls.ts')).sqsCalls()
}

function required(queue: string, url: string | undefined): string {
  if (url) return url
  throw new Error(
    `${queueVariable(queue)} is not set. It must be the address of the queue ${queue} of this stage.`,
  )
}
