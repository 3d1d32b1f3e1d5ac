import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A calendar event; a deleted one stays for the audit (G13). Deadlines have an entity of their own. */
export function eventEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'event', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `evt_<uuid>` */
        id: { type: 'string', required: true },
        title: { type: 'string', required: true },
        type: { type: ['event', 'meeting'] as const, required: true },
        /** UTC with milliseconds, half-open, also of all-day events. */
        starts_at: { type: 'string', required: true },
        ends_at: { type: 'string', required: true },
        all_day: { type: 'boolean', required: true },
        first_day: { type: 'string' },
        last_day: { type: 'string' },
        case_id: { type: 'string' },
        location: { type: 'string' },
        description: { type: 'string' },
        attendees: { type: 'list', required: true, items: { type: 'string' } },
        created_by: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        deleted_at: { type: 'string' },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#event#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
