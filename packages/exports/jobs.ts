import * as z from 'zod'
import { defineFollowUp, defineHandOver, type JobHandler } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { exportRunQueue, RunOrder } from './queue-schema.ts'
import { fileKeys } from './run-keys.ts'
import type { ExportFiles, ExportRunStore } from './run-ports.ts'

/** Hands over the run of a due configuration. */
export const runExport = defineHandOver({
  name: 'export.run',
  version: 1,
  payload: RunOrder,
  queue: exportRunQueue,
  messagesOf: (order) => [order],
})

/**
 * Removes the runs of a configuration with their objects, except the newest `kept`; for a deleted configuration all
 * runs.
 */
export const removeRuns = defineFollowUp({
  name: 'export.remove_runs',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), config_id: z.string(), kept: z.int() })),
})

/** Runs removed at a time. Their usual attempts have at most as many objects as one call to S3 removes. */
const removedAtOnce = 50

/** The handlers of the jobs that follow runs and configurations. */
export function exportJobs(deps: {
  runs: Pick<ExportRunStore, 'older' | 'remove'>
  files: Pick<ExportFiles, 'remove'>
}): JobHandler[] {
  const { runs, files } = deps
  return [
    removeRuns.handledBy(async ({ workspace_id, config_id, kept }) => {
      for (;;) {
        const some = await runs.older(workspace_id, config_id, kept, removedAtOnce)
        if (some.length === 0) return
        await files.remove(some.flatMap((run) => fileKeys(run)))
        await runs.remove(some)
      }
    }),
  ]
}
