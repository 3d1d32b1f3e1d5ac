import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An external calendar that a user has connected, its credentials sealed (K9). */
export function syncAccountEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'syncaccount', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        provider: { type: ['caldav'] as const, required: true },
        url: { type: 'string', required: true },
        calendar_url: { type: 'string', required: true },
        sealed_credentials: { type: 'string', required: true },
        status: { type: ['connected', 'error'] as const, required: true },
        last_synced_at: { type: 'string' },
        last_error: { type: 'string' },
        created_at: { type: 'string', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'user_id'],
            template: '${workspace_id}#sync_accounts#${user_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
