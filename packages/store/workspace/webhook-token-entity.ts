import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The workspace whose webhook token this is. A caller may show the token alone, so the key has no workspace. */
export function webhookTokenEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'webhooktoken', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'webhook_token#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
