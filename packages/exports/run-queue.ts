import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'

/** Asks the worker `export-runs` to run a configuration that was due at a time of its schedule (X5). */
export const exportRunQueue = defineQueue({
  queue: 'export-runs',
  payload: z.lazy(() =>
    z.object({ workspace_id: z.string(), config_id: z.string(), scheduled_at: z.string() }),
  ),
})
