import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** The queue of the worker `bea-sync`. A message names a synchronisation: the account, and when it was started (B5). */
export const beaSyncQueue = defineQueue({
  queue: 'bea-sync',
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    account_id: z.string(),
    started_at: z.string(),
    /**
     * If one worker was not enough, what earlier ones have done: the number of finished folders, the number of their
     * messages that could not be imported, and whether a folder was not read completely.
     */
    done: z.object({ folders: z.int(), kept_out: z.int(), hasUnread: z.boolean() }).optional(),
  })),
})

export type SyncOrder = z.output<typeof beaSyncQueue.payload>

/** The work of earlier workers. */
export type DoneFolders = NonNullable<SyncOrder['done']>
