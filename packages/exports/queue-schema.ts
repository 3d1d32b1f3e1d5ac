import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'

/** A run of a configuration that was due at a time of its schedule (X5). */
export const RunOrder = lazyObject(() => ({
  workspace_id: z.string(),
  config_id: z.string(),
  scheduled_at: z.string(),
}))

/** A report on everything that is stored about a party (R6). */
export const AccessReportOrder = lazyObject(() => ({
  workspace_id: z.string(),
  party_id: z.string(),
  report_id: z.string(),
}))

/** Asks the worker `export-runs` to make a file. Version 1 had only runs. */
export const exportRunQueue = defineQueue({
  queue: 'export-runs',
  version: 2,
  payload: z.lazy(() => z.union([RunOrder, AccessReportOrder])),
  migrations: { 1: (payload) => payload as z.input<typeof RunOrder> },
})
