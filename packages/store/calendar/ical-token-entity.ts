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
        last_used_at: { type: 'string' },
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

/** A token that is not revoked, as an item of its user's list. */
export function icalTokenListing(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'icaltokenlisting', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'user_id'],
            template: '${workspace_id}#ical_tokens#${user_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
