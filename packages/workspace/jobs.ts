import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { KeyStore, UserStore } from './ports.ts'

/**
 * Copies a user's new name and state into the items of the user's keys. The change of the user is answered only after
 * this job, because a deactivated user's keys must stop working at once (W3).
 */
export const userChanged = defineFollowUp({
  name: 'user.changed',
  version: 1,
  required: true,
  payload: lazyObject(() => ({ workspace_id: z.string(), user_id: z.string() })),
})

/** The handlers of the jobs that follow a change of a user. */
export function workspaceJobs(deps: {
  users: Pick<UserStore, 'find'>
  keys: Pick<KeyStore, 'copyUser'>
}): JobHandler[] {
  const { users, keys } = deps
  return [
    userChanged.handledBy(async ({ workspace_id, user_id }) => {
      const user = await users.find(workspace_id, user_id)
      if (user !== undefined) await keys.copyUser(user)
    }),
  ]
}
