import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A folder for documents; a deleted one stays for the audit (G13). */
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
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
        /** While it is looked whether it is empty, so that nothing is put into it meanwhile. */
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
