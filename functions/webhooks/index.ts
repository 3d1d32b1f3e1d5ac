import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { eventService } from '#webhooks/events.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('webhooks')

export const handler = serve(endpoints, {
  ...base,
  services: { events: eventService({ log: eventLog(base) }) },
})
