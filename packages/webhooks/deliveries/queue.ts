import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/**
 * Asks the worker `deliveries` to send new events to all endpoints of their firm (`events`), or to send what is due for
 * some endpoints (`endpoint_ids`). `follow`: it also looks for events in the log that no message has brought.
 */
export const deliveryQueue = defineQueue({
  queue: 'deliveries',
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    events: z
      .array(
        z.object({
          id: z.string(),
          type: z.string(),
          occurred_at: z.string(),
          data: z.looseObject({ id: z.string(), case_id: z.string().nullable() }),
          needs: z
            .object({
              account_id: z.string(),
              operation: z.enum(['read', 'read_confidential', 'draft']),
            })
            .optional(),
        }),
      )
      .optional(),
    endpoint_ids: z.array(z.string()).optional(),
    /** Written by releases before `endpoint_ids`. */
    endpoint_id: z.string().optional(),
    follow: z.boolean().optional(),
  })),
})

export type DeliveryOrder = z.output<typeof deliveryQueue.payload>
