import { beaAccounts } from '#foundation/bea-access.ts'
import { foundation } from '#foundation/foundation.ts'
import { searchFoundation } from '#foundation/text-search.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('search')

export const handler = serve(endpoints, {
  ...base,
  services: { search: searchFoundation(base, beaAccounts(base)) },
})
