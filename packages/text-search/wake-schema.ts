import * as z from 'zod'
import { defineHandOver, defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { Text } from '#kernel/text.ts'

/**
 * Texts of this firm may have changed, or its index has other work. `damaged`: a segment that a reader could not use.
 */
export const IndexWake = lazyObject(() => ({
  workspace_id: Text,
  damaged: Text.optional(),
}))

export type IndexWake = z.infer<typeof IndexWake>

/** Tells the worker `search-index` to process the marks of a firm. */
export const indexQueue = defineQueue({ queue: 'search-index', payload: IndexWake })

/** Follows every change that marks a record (`store/text-search/search-marks.ts`). */
export const wakeIndex = defineHandOver({
  name: 'search.index',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string() })),
  queue: indexQueue,
  messagesOf: (payload) => [payload],
})
