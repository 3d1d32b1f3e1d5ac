import * as z from 'zod'

/** A notice to an admin that nothing succeeds at an endpoint (E5). `number`: 1 after two days, 2 after four. */
export const WebhookNotice = z.lazy(() =>
  z.object({
    workspace_id: z.string(),
    endpoint_id: z.string(),
    user_id: z.string(),
    failing_since: z.string(),
    number: z.int(),
  }),
)
export type WebhookNotice = z.infer<typeof WebhookNotice>
