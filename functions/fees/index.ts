import { feeService } from '#fees/fees.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('fees')

export const handler = serve(endpoints, {
  ...base,
  services: { fees: feeService(base) },
})
