import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'

/** A notice to an admin that nothing succeeds at an endpoint (E5). `number`: 1 after two days, 2 after four. */
export const WebhookNotice = lazyObject(() => ({
  workspace_id: z.string(),
  endpoint_id: z.string(),
  user_id: z.string(),
  failing_since: z.string(),
  number: z.int(),
}))
export type WebhookNotice = z.infer<typeof WebhookNotice>
