import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** The queue of the worker `bea-send`. A message names a draft or an answer to send, search for, or import (B7). */
export const beaSendQueue = defineQueue({
  queue: 'bea-send',
  payload: lazyObject(() => ({ workspace_id: z.string(), draft_id: z.string() })),
})
