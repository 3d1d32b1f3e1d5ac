import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** Who retrieves an export by a token shows nothing else; the key has no workspace (X4). */
export function exportToken(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'exporttoken', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        config_id: { type: 'string', required: true },
        created_by: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        expires_at: { type: 'string', required: true },
        last_used_at: { type: 'string' },
        revoked_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'export_token#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A token that is not revoked, as an item of its configuration's list. */
export function exportTokenListing(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'exporttokenlisting', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        config_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        token_sha256: { type: 'string', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'config_id'],
            template: '${workspace_id}#export_tokens#${config_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
