import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A file number that is in use. Its key makes the number unique in the workspace (C1). */
export function fileNumberEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'filenumber', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        file_number: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'file_number'],
            template: '${workspace_id}#file_number#${file_number}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
