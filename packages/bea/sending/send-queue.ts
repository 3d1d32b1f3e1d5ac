import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** Tells the worker `bea-send` to do the next work for a draft or an answer: send it, search for it, or import it (B7). */
export const beaSendQueue = defineQueue({
  queue: 'bea-send',
  payload: lazyObject(() => ({ workspace_id: z.string(), draft_id: z.string() })),
})
