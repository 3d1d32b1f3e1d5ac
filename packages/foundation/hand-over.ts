import type * as z from 'zod'
import type { defineHandOver, SendMessage } from '#jobs/job.ts'
import { queueSender } from '#queue/sqs.ts'
import type { Base } from './foundation.ts'

/**
 * Lets a function run the jobs of one kind that its changes enqueue, by sending their messages. The function needs the
 * right to send to their queue (`needs.sends`): call this only in functions that have it.
 *
 * @returns the function that sends such a message without a job
 */
export function handOver<
  Payload extends z.ZodType,
  Message extends z.ZodType<unknown, { workspace_id: string }>,
>(
  { jobs }: Pick<Base, 'jobs'>,
  { queue, handledBy }: ReturnType<typeof defineHandOver<Payload, Message>>,
): SendMessage<z.input<Message>> {
  const send = queueSender(queue)
  jobs.handle(handledBy(send))
  return send
}
