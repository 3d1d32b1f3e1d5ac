import { exportJobs } from '#exports/jobs.ts'
import { exportsToRun } from '#exports/messages.ts'
import { bucketFiles } from '#files/bucket.ts'
import { queueSender } from '#queue/sqs.ts'
import { exportRunStore } from '#store/exports/export-run-store.ts'
import type { foundation } from './foundation.ts'

type Base = ReturnType<typeof foundation>

/** Runs of exports as every function that touches them has them: records, files, jobs, and their queue. */
export function exportRunsFoundation(base: Base) {
  const runs = exportRunStore(base)
  const files = bucketFiles()
  const send = queueSender(exportsToRun)
  base.jobs.handle(...exportJobs({ runs, files, send }))
  return { runs, files, send }
}
