import { exportJobs } from '#exports/jobs.ts'
import { bucketFiles } from '#files/bucket.ts'
import { exportRunStore } from '#store/exports/export-run-store.ts'
import type { Base } from './foundation.ts'

/** Runs of exports for every function that uses them: records, files and jobs. */
export function exportRunsFoundation(base: Base) {
  const runs = exportRunStore(base)
  const files = bucketFiles()
  base.jobs.handle(...exportJobs({ runs, files }))
  return { runs, files }
}
