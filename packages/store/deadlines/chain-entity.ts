import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** Which deadlines belong together: at most one of each kind. A struck one has left its place (F3). */
export function chainEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'chain', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        vorfrist: { type: 'string' },
        hauptfrist: { type: 'string' },
        nachfrist: { type: 'string' },
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#chain#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
