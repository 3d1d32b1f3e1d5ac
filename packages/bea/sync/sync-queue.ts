import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** Tells the worker `bea-sync` to synchronise an account, as it was asked for at `started_at` (B5). */
export const beaSyncQueue = defineQueue({
  queue: 'bea-sync',
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    account_id: z.string(),
    started_at: z.string(),
    /** The work of earlier workers of this synchronisation, if one was not enough for all folders. */
    done: z.object({ folders: z.int(), kept_out: z.int(), hasUnread: z.boolean() }).optional(),
  })),
})

export type SyncOrder = {
  workspace_id: string
  account_id: string
  started_at: string
  done?: DoneFolders | undefined
}

/** The number of folders that were gone through, what of them could not be imported, and whether one was not read. */
export type DoneFolders = { folders: number; kept_out: number; hasUnread: boolean }
