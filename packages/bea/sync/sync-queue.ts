import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** Tells the worker `bea-sync` to do the synchronisation of an account that was started at `started_at` (B5). */
export const beaSyncQueue = defineQueue({
  queue: 'bea-sync',
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    account_id: z.string(),
    started_at: z.string(),
    /** The folders that earlier workers of this synchronisation finished, if one worker was not enough. */
    done: z.object({ folders: z.int(), kept_out: z.int(), hasUnread: z.boolean() }).optional(),
  })),
})

export type SyncOrder = {
  workspace_id: string
  account_id: string
  started_at: string
  done?: DoneFolders | undefined
}

/** The number of finished folders, of their messages that could not be imported, and whether a folder was not read. */
export type DoneFolders = { folders: number; kept_out: number; hasUnread: boolean }
