import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * What a user has on a day (timed events) or in a month (all-day events): the list of that user's events, and the
 * guard that keeps a day from being booked twice. A write names the token that it was made for, so that two
 * bookings of one day at the same moment cannot both succeed (K4).
 */
export function agendaEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'agenda', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true, field: 'w' },
        user_id: { type: 'string', required: true, field: 'u' },
        kind: { type: ['day', 'month'] as const, required: true, field: 'k' },
        /** `2026-04-16` or `2026-04`; see `bucketsOf` for when a day begins. */
        bucket: { type: 'string', required: true, field: 'b' },
        /** JSON: of each event `{id, s, e}`, when it starts and ends. */
        events: { type: 'string', required: true, field: 'i' },
        /** New with every write. */
        token: { type: 'string', required: true, field: 'v' },
      },
      indexes: {
        soonest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'user_id', 'kind'],
            template: '${workspace_id}#agenda#${user_id}#${kind}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['bucket'], template: '${bucket}', casing: 'none' },
        },
      },
    },
    db,
  )
}
