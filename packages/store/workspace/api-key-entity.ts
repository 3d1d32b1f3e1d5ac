import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * An API key, found by its id, since a request contains nothing else. One read gives whether it is valid and whose it
 * is. Therefore the key of the item has no workspace.
 */
export function apiKeyEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'apikey', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        scopes: { type: 'any', required: true },
        /** SHA-256 of the secret, hexadecimal. */
        secret_hash: { type: 'string', required: true },
        expires_at: { type: 'string' },
        last_used_at: { type: 'string' },
        created_at: { type: 'string', required: true },
        revoked_at: { type: 'string' },
        /** Copies of the user's fields. A change of the user updates them. */
        user_name: { type: 'string', required: true },
        user_active: { type: 'boolean', required: true },
        user_version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['id'], template: 'api_key#${id}', casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A key that is not revoked, as an item of the workspace's list. */
export function apiKeyListing(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'apikeylisting', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id'],
            template: '${workspace_id}#api_keys',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
