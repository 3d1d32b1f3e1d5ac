import { exportExecution } from '#exports/executing.ts'
import { exportRuns } from '#exports/runs.ts'
import { exportTokenService } from '#exports/tokens.ts'
import { fileMaker } from '#foundation/export-files.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { exportsFoundation } from '#foundation/exports.ts'
import { foundation } from '#foundation/foundation.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('exports-files')
const shared = exportsFoundation(base)
const runs = exportRuns({ ...base, ...shared, ...exportRunsFoundation(base) })

export const handler = serveStreamed(endpoints, {
  ...base,
  services: {
    execution: exportExecution({ ...base, ...shared, runs, makeFile: fileMaker(shared) }),
    runs,
    tokens: exportTokenService({ ...base, ...shared }),
  },
})
