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
  /** `delaySeconds`: the message cannot be received before; at most 15 minutes. */
  options?: { delaySeconds?: number },
) => Promise<void> {
  const calls = once(loadCalls)
  // Read when the Lambda function is loaded: a test compares the queue variables that each Lambda function reads then
  // with the queues to which it may send.
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

/** The first call loads the SQS client, because functions that only read never need it. */
async function loadCalls() {
  return (await import('./sqs-calls.ts')).sqsCalls()
}

function required(queue: string, url: string | undefined): string {
  if (url) return url
  throw new Error(
    `${queueVariable(queue)} is not set. It must be the address of the queue ${queue} of this stage.`,
  )
}
