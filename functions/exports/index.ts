import { exportService } from '#exports/configs.ts'
import { exportPreview } from '#exports/preview.ts'
import { exportRuns } from '#exports/runs.ts'
import { exportTokenService } from '#exports/tokens.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { exportsFoundation } from '#foundation/exports.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('exports')
const shared = exportsFoundation(base)
const stored = exportRunsFoundation(base)

export const handler = serve(endpoints, {
  ...base,
  services: {
    exports: exportService({ ...base, ...shared }),
    preview: exportPreview({ ...base, ...shared }),
    runs: exportRuns({ ...base, ...shared, ...stored }),
    tokens: exportTokenService({ ...base, ...shared }),
  },
})
