import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/**
 * Removes the earlier texts of these records from the files of the index at once, and indexes the current records (T5).
 */
export const eraseFromIndex = defineFollowUp({
  name: 'search.erase',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), ids: z.array(z.string()) })),
})
