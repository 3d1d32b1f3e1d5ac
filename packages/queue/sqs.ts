import type { SQSRecord } from 'aws-lambda'
import type * as z from 'zod'
import type { MessageDefinition, SendMessage } from '#jobs/job.ts'
import { once } from '#kernel/once.ts'

/**
 * Sends messages to the queue of this stage that the definition names, in the group of their workspace: those of a firm
 * that enqueues thousands do not delay those of another (G17). A message carries the version of its payload.
 */
export function queueSender<Payload extends z.ZodType<unknown, { workspace_id: string }>>({
  queue,
  version,
}: MessageDefinition<Payload>): SendMessage<z.input<Payload>> {
  const calls = once(loadCalls)
  return async (payload) =>
    (await calls()).send(queueUrl(queue), JSON.stringify({ ...payload, version }), payload.workspace_id)
}

/** Has a message that was received come again in so many seconds from now. */
export function messageHider<Payload extends z.ZodType>({ queue }: MessageDefinition<Payload>) {
  const calls = once(loadCalls)
  return async ({ receiptHandle }: Pick<SQSRecord, 'receiptHandle'>, seconds: number): Promise<void> =>
    (await calls()).hide(queueUrl(queue), receiptHandle, seconds)
}

/** The first call loads the client of SQS: a function that reads sends nothing. */
async function loadCalls() {
  return (await import('./sqs-calls.ts')).sqsCalls()
}

function queueUrl(queue: string): string {
  const name = `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`
  const url = process.env[name]
  if (!url) throw new Error(`${name} is not set: it is the address of the queue ${queue} of this stage.`)
  return url
}
