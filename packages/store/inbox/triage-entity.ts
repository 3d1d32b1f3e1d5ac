import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** What the triage says of a record. It is an item of its own because its evidence may be larger than the record. */
export function triageEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'triage', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** The id of the record. */
        id: { type: 'string', required: true },
        /** `Triage` as JSON text. */
        triage: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#triage#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
