import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/**
 * Runs after an event is deleted, a deadline is struck, or either is pushed. If the event or deadline no longer exists,
 * the job schedules its removal from every calendar that it was pushed to (K11). After a push, `pushed` holds the user
 * and account of that push. They are needed if the event was deleted during the push. The removal that the
 * deletion scheduled may then have run before the push reached the server, so a second one is scheduled.
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
