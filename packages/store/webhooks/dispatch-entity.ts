import type { Replay } from '#webhooks/endpoint-ports.ts'
import { boolean, entity, jsonOf, listKey, nullable, number, text } from '../entity.ts'

/** The state of sending to an endpoint. The key has no workspace, because the sweep reads the endpoints of all firms. */
export const webhookDispatch = entity(
  'webhookdispatch',
  listKey('all', 'webhook_dispatches#${shard}', '${endpoint_id}'),
  {
    workspace_id: text,
    due_at: text,
    asked: number,
    claimed_by: nullable(text),
    claimed_until: nullable(text),
    followed_to: text,
    followed_at: text,
    failing_since: nullable(text),
    notices: number,
    recover_since: nullable(text),
    recovered_to: nullable(text),
    is_replaying: boolean,
    is_paused: boolean,
    timeouts: nullable(number),
    quiet_until: nullable(text),
    reminded_at: nullable(text),
    /** Until then a test of the endpoint may run. */
    tested_until: nullable(text),
  },
)

/** A replay that has not ended. */
export const webhookReplay = entity(
  'webhookreplay',
  listKey('oldest', '${workspace_id}#webhook_replays#${endpoint_id}', '${id}'),
  {
    after: text,
    until: text,
    types: jsonOf<Replay['types']>(),
    /** DynamoDB removes it when the log has none of its events any more. */
    ttl: number,
  },
)
