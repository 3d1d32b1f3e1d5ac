import { exportRunQueue } from '#exports/queue-schema.ts'
import { exportRunning } from '#exports/running.ts'
import { accessReportFoundation } from '#foundation/access-reports.ts'
import { accessSections } from '#foundation/access-sections.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { fileMaker } from '#foundation/export-files.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { exportsFoundation } from '#foundation/exports.ts'
import { queues } from '#functions/queues.ts'
import { accessMaking } from '#parties/access-making.ts'
import { partyNamings } from '#store/parties/party-namings.ts'
import { partyStore } from '#store/parties/party-store.ts'

const base = announcingFoundation('export-runs')
const exports = exportsFoundation(base)
const makeFile = fileMaker(exports)
const running = exportRunning({
  ...base,
  ...exportRunsFoundation(base),
  make: async (workspaceId, configId, now, times) => {
    const config = await exports.configs.find(workspaceId, configId)
    if (config === undefined) return undefined
    await exports.configs.touch(workspaceId, configId, now.toISOString())
    return makeFile(config, now, times)
  },
  maxAttempts: queues['export-runs'].maxReceives,
})
const reports = accessMaking({
  ...accessReportFoundation(base),
  parties: partyStore(base),
  casesOf: partyNamings(base.db).cases,
  sections: accessSections(base),
  workspaces: exports.workspaces,
  clock: base.clock,
  log: base.log,
})

/** Creates and stores the files of scheduled exports, and reports on parties. */
export const handler = consumer(base, exportRunQueue, (message, signal) =>
  'report_id' in message ? reports.make(message, signal) : running.run(message, signal),
)
