import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An event that was pushed to a connected calendar, or may have been (K11). */
export function pushedEvent(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'pushedevent', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        event_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
      },
      indexes: {
        ofEvent: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'event_id'],
            template: '${workspace_id}#pushed_events#${event_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['account_id'], template: '${account_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
