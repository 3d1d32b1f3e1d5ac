import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A key under which a user, or the service, began a send: its existence makes the send unique until it expires (M1, M5). */
export function sendKey(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sendkey', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** Whose the key is: `service` for mails of the service, which no user has as id. */
        user_id: { type: 'string', required: true },
        key: { type: 'string', required: true },
        /** Of the content, so that a key with other content is refused. */
        digest: { type: 'string', required: true },
        correspondence_id: { type: 'string', required: true },
        expires_at: { type: 'string', required: true },
        /** Epoch seconds after which the table may remove it. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'user_id', 'key'],
            template: '${workspace_id}#send_key#${user_id}#${key}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
