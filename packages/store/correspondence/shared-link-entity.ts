import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The documents of a mail that were sent as a link (M3). Who opens it shows the token alone; the key has no workspace. */
export function sharedLink(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sharedlink', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        correspondence_id: { type: 'string', required: true },
        case_id: { type: 'string' },
        documents: { type: 'any', required: true },
        expires_at: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'shared_link#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
