import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A calendar event; a deleted one stays for the audit (G13). Deadlines have an entity of their own. */
export function eventEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'event', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `evt_<uuid>` */
        id: { type: 'string', required: true },
        /** The whole event as JSON: a feed reads thousands, and one text costs a fifth of as many attributes. */
        record: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#event#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
