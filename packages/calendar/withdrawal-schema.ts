import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/**
 * Follows the deletion of an event, the striking of a deadline, and each push of either. If the event or deadline is
 * gone, its withdrawal from every calendar that it was pushed to becomes due (K11). A push names itself in `pushed`,
 * because its record may be gone already if the event was deleted during the push.
 */
export const withdrawEvent = defineFollowUp({
  name: 'event.withdraw',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    event_id: z.string(),
    pushed: z.object({ user_id: z.string(), account_id: z.string() }).nullable(),
  })),
})
