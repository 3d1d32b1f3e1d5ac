import { correspondenceService } from '#correspondence/correspondence.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { foundation } from '#foundation/foundation.ts'
import { buffered } from '#http/endpoint.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('correspondence')
const { store, files } = correspondenceFoundation(base)

export const handler = serve(buffered(endpoints), {
  ...base,
  services: { correspondence: correspondenceService({ store, files, clock: base.clock }) },
})
