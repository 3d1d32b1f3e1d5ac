import * as z from 'zod'
import { defineHandOver, defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { NullableText, Text } from '#kernel/text.ts'

/**
 * Something that arrived, by the id of its record: a mail, a document of an upload or of the webhook, or a beA message.
 * `filing`: a beA message was put into a case, or taken out of `from`, at that time, and its many attachments follow.
 */
export const Arrival = lazyObject(() => ({
  workspace_id: Text,
  id: Text,
  filing: z.object({ from: NullableText, at: Text }).optional(),
}))

export type Arrival = z.infer<typeof Arrival>

/** A waiting arrival is sent again after this time. It is longer than the processing of a message can take. */
export const resendMilliseconds = 60 * 60_000

/**
 * The messages to the worker `inbound`. It parses a mail first, and then judges the mail, document or beA message. If
 * texts are still missing, another message comes each time one of them was read.
 */
export const arrivalQueue = defineQueue({ queue: 'inbound', payload: Arrival })

/** Enqueues arrivals for processing: new ones, and those whose content has been read since. */
export const processArrivals = defineHandOver({
  name: 'inbox.process',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), ids: z.array(z.string()) })),
  queue: arrivalQueue,
  messagesOf: ({ workspace_id, ids }) => ids.map((id) => ({ workspace_id, id })),
})
