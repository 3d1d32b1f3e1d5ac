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
     * The work of earlier workers, if one was not enough: the number of finished folders, and of their messages that
     * could not be imported. `hasUnread`: a folder was not read completely.
     */
    done: z.object({ folders: z.int(), kept_out: z.int(), hasUnread: z.boolean() }).optional(),
  })),
})

export type SyncOrder = z.output<typeof beaSyncQueue.payload>

/** The work of earlier workers. */
export type DoneFolders = NonNullable<SyncOrder['done']>
