import { entity, listKey, text } from '../entity.ts'

/** A push of an event or deadline to a connected calendar, written before the push (K11). */
export const pushedEvent = entity(
  'pushedevent',
  listKey('ofEvent', '${workspace_id}#pushed_events#${event_id}', '${account_id}'),
  { user_id: text },
)
