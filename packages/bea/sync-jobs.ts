import * as z from 'zod'
import { defineMessage } from '#jobs/job.ts'

/** Tells the worker `bea-sync` to synchronise an account, as it was asked for at `started_at` (B5). */
export const beaSyncs = defineMessage({
  queue: 'bea-sync',
  payload: z.lazy(() =>
    z.object({ workspace_id: z.string(), account_id: z.string(), started_at: z.string() }),
  ),
})

export type SyncOrder = { workspace_id: string; account_id: string; started_at: string }
