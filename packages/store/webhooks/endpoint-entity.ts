import { entity, jsonOf, listKey, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/** An endpoint of a firm, its secrets sealed (E3). */
export const webhookEndpoint = entity(
  'webhookendpoint',
  listKey('oldest', '${workspace_id}#webhook_endpoints', '${id}'),
  {
    url: text,
    acts_for: nullable(text),
    description: nullable(text),
    event_types: jsonOf<string[]>(),
    status: oneOf(['active', 'disabled']),
    disabled_reason: nullable(text),
    lost_since: nullable(text),
    created_at: text,
    updated_at: text,
    sealed_secret: text,
    sealed_old_secret: nullable(text),
    old_secret_until: nullable(text),
    version: number,
  },
)

/** How many endpoints a firm has. Most firms have none, and no item. */
export const webhookCount = entity('webhookcount', recordKey('${workspace_id}#webhook_count'), {
  endpoints: number,
})
