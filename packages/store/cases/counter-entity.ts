import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The last assigned number of a series of the workspace, such as the file numbers of a year. */
export function counterEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'counter', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `file_number/26` */
        series: { type: 'string', required: true },
        last: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'series'],
            template: '${workspace_id}#counter#${series}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
