import * as z from 'zod'
import { defineHandOver, defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { NullableText, Text } from '#kernel/text.ts'

/**
 * The id of a record that arrived: a mail, a document from an upload or from the webhook, or a beA message. With
 * `filing`, the worker moves the attachments of a beA message that has many. The message left the case `from` (null: it
 * was in none) at the time `at`.
 */
export const Arrival = lazyObject(() => ({
  workspace_id: Text,
  id: Text,
  filing: z.object({ from: NullableText, at: Text }).optional(),
}))

export type Arrival = z.infer<typeof Arrival>

/** An arrival that still waits is sent again after this time. Processing a message never takes this long. */
export const resendMilliseconds = 60 * 60_000

/**
 * The messages to the worker `inbound`. It parses a mail, and then judges the mail, document or beA message. If texts
 * of attachments are still missing, each text that is read later causes another message.
 */
export const arrivalQueue = defineQueue({ queue: 'inbound', payload: Arrival })

/** Enqueues arrivals for the worker: new records, and records of which more text is known than before. */
export const processArrivals = defineHandOver({
  name: 'inbox.process',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), ids: z.array(z.string()) })),
  queue: arrivalQueue,
  messagesOf: ({ workspace_id, ids }) => ids.map((id) => ({ workspace_id, id })),
})
