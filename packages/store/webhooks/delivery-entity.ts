import type { SentEvent } from '#webhooks/catalogue-schema.ts'
import type { DeliveryAttempt } from '#webhooks/endpoint-schema.ts'
import { entity, jsonOf, listKey, nullable, number, oneOf, text } from '../entity.ts'

/** The delivery of an event to an endpoint (E6). Its id comes from both, and sorts by the time of the event. */
export const webhookDelivery = entity(
  'webhookdelivery',
  listKey('newest', '${workspace_id}#webhook_deliveries#${endpoint_id}', '${id}'),
  {
    event: jsonOf<SentEvent>(),
    status: oneOf(['pending', 'succeeded', 'failed']),
    attempts: jsonOf<DeliveryAttempt[]>(),
    next_attempt_at: nullable(text),
    updated_at: text,
    /** 30 days after the last change. */
    ttl: number,
  },
)
