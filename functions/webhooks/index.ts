import { beaVisibility } from '#bea/rights/visibility.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { webhookFoundation } from '#foundation/webhooks.ts'
import { serve } from '#http/serve.ts'
import { endpointService } from '#webhooks/endpoints.ts'
import { eventService } from '#webhooks/events.ts'
import { deliveryService } from '#webhooks/sent.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('webhooks')
const hooks = webhookFoundation(base)
const visibility = beaVisibility(beaAccounts(base))

export const handler = serve(endpoints, {
  ...base,
  services: {
    events: eventService({
      log: hooks.events,
      beaRightsOf: visibility.ofAllAccounts,
    }),
    endpoints: endpointService({ ...base, ...hooks }),
    deliveries: deliveryService({ ...base, ...hooks, beaRightsOf: visibility.ofUser }),
  },
})
