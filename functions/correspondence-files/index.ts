import { correspondenceService } from '#correspondence/correspondence.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import * as endpoints from '../correspondence/endpoints.ts'

const base = foundation('correspondence-files')
const { store, files } = correspondenceFoundation(base)

export const handler = serveStreamed(streamed(endpoints), {
  ...base,
  services: { correspondence: correspondenceService({ store, files, clock: base.clock }) },
})
