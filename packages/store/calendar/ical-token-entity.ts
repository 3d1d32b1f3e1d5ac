import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A subscription token under its own id, since a subscriber shows nothing else; the key has no workspace. */
export function icalToken(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'icaltoken', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        /** SHA-256 of the secret, hexadecimal. */
        secret_hash: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        revoked_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['id'], template: 'ical_token#${id}', casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
