import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A message of the network that a synchronisation saw and could not import. */
export function beaUnimportedEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beaunimported', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        postbox_safe_id: { type: 'string', required: true },
        /** The digest of the gateway's id, which may have any characters and any length. */
        remote_key: { type: 'string', required: true },
        remote_id: { type: 'string', required: true },
        first_seen_at: { type: 'string', required: true },
        is_too_large: { type: 'boolean', required: true },
        is_told: { type: 'boolean', required: true },
        tried_at: { type: 'string' },
        /** Epoch seconds. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'postbox_safe_id'],
            template: '${workspace_id}#bea_unimported#${postbox_safe_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['remote_key'], template: '${remote_key}', casing: 'none' },
        },
      },
    },
    db,
  )
}
