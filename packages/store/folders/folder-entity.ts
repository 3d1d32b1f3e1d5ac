import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A folder for documents. A deleted one stays for the audit (G13). */
export function folderEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'folder', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        parent_id: { type: 'string' },
        case_id: { type: 'string' },
        created_at: { type: 'string', required: true },
        /** Counts the changes. Every write is conditional on the version that it was decided for. */
        version: { type: 'number', required: true },
        /** Until this time nothing can be put into the folder, because a request checks whether it is empty. */
        closed_until: { type: 'string' },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#folder#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
