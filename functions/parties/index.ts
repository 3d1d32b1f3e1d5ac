import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { partyService } from '#parties/service.ts'
import { partyStore } from '#store/parties/party-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('parties')

export const handler = serve(endpoints, {
  ...base,
  services: { parties: partyService({ store: partyStore(base), clock: base.clock }) },
})
