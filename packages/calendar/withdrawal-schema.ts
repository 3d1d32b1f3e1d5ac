import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/**
 * An event was deleted, a deadline was struck, or either was pushed: if it is gone, its withdrawal from every calendar that
 * it was pushed to becomes due (K11). A push names itself in `pushed`: if the event was deleted during the push, its note
 * may be gone already.
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
