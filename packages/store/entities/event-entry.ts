import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * An event's place in the lists by start (`calendar-store.ts`), filed under its type, alone and with its case. One
 * that crosses the boundary of a day is filed under each month it touches as well, so that it is found by whoever
 * asks for a time long after its start.
 */
export function eventEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'evententry', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true, field: 'w' },
        /** `event`, `meeting case=<uuid>`, `2026-05 event`, `2026-05 event case=<uuid>`, `all-day event`, … */
        term: { type: 'string', required: true, field: 't' },
        /** `<starts_at>#<id>`: sorts by start, and by age where that is the same. */
        place: { type: 'string', required: true, field: 'p' },
        ends_at: { type: 'string', required: true, field: 'e' },
        /** Whose event it is. */
        participants: { type: 'any', required: true, field: 'u' },
        /** The whole record as JSON, unless it is large. */
        event: { type: 'string', field: 'd' },
      },
      indexes: {
        soonest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'term'],
            template: '${workspace_id}#events#${term}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
