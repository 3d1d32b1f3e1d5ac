import * as z from 'zod'
import { defineHandOver, defineMessage } from '#jobs/job.ts'
import { Text } from '#kernel/text.ts'

/** Something that arrived, by the id of its record: a mail, or a document of an upload or of the webhook. */
export const Arrival = z.lazy(() => z.object({ workspace_id: Text, id: Text }))

export type Arrival = z.infer<typeof Arrival>

/**
 * Tells the worker `inbound` to go on with what arrived: a mail is read first, then either is judged. Its texts may not
 * all be there yet; the message comes again with each of them.
 */
export const arrivals = defineMessage({ queue: 'inbound', payload: Arrival })

/** What arrived, or was read meanwhile, is handed over to be processed. */
export const processArrivals = defineHandOver({
  name: 'inbox.process',
  version: 1,
  payload: z.lazy(() => z.object({ workspace_id: z.string(), ids: z.array(z.string()) })),
  message: arrivals,
  messagesOf: ({ workspace_id, ids }) => ids.map((id) => ({ workspace_id, id })),
})
