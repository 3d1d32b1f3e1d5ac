import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** Where a magic link leads (S5). Who opens it shows the token alone; the key has no workspace. */
export function signingLink(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'signinglink', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        envelope_id: { type: 'string', required: true },
        signer_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'signing_link#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
