import { exportExecution } from '#exports/executing.ts'
import { exportTokenService } from '#exports/tokens.ts'
import { exportsFoundation, fileMaker } from '#foundation/exports.ts'
import { foundation } from '#foundation/foundation.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('exports-files')
const shared = exportsFoundation(base)

export const handler = serveStreamed(endpoints, {
  ...base,
  services: {
    execution: exportExecution({ ...base, ...shared, makeFile: fileMaker(shared) }),
    tokens: exportTokenService({ ...base, ...shared }),
  },
})
