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

/**
 * The work of earlier workers: the number of finished folders, the number of their messages that could not be imported,
 * and whether a folder was not read completely.
 */
export type DoneFolders = { folders: number; kept_out: number; hasUnread: boolean }
