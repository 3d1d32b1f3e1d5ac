import { exportRunQueue } from '#exports/run-queue.ts'
import { exportRunning } from '#exports/running.ts'
import { fileMaker } from '#foundation/export-files.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { exportsFoundation } from '#foundation/exports.ts'
import { foundation } from '#foundation/foundation.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider } from '#queue/sqs.ts'

const base = foundation('export-runs')
const exports = exportsFoundation(base)
const makeFile = fileMaker(exports)

/** Runs the export configurations that are due by their schedules, and stores their files. */
export const handler = consume(exportRunQueue, {
  work: exportRunning({
    ...base,
    ...exportRunsFoundation(base),
    make: async (workspaceId, configId, now) => {
      const config = await exports.configs.find(workspaceId, configId)
      if (config === undefined) return undefined
      await exports.configs.touch(workspaceId, configId, now.toISOString())
      return makeFile(config, now)
    },
  }).run,
  hide: messageHider(exportRunQueue),
  log: base.log,
})
