import { entity, listKey, text } from '../entity.ts'

/** An event that was pushed to a connected calendar, or may have been (K11). */
export const pushedEvent = entity(
  'pushedevent',
  listKey('ofEvent', '${workspace_id}#pushed_events#${event_id}', '${account_id}'),
  {
    workspace_id: text,
    event_id: text,
    user_id: text,
    account_id: text,
  },
)
