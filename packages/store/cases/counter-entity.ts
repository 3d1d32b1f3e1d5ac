import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The last assigned number of a series of the workspace, such as the file numbers of a year. */
export function counterEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'counter', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `file_number/26`; the tickets that were drawn for it are counted in `file_number/26/line` */
        series: { type: 'string', required: true },
        last: { type: 'number', required: true },
        /** The ticket of the line that took a number last: see `gapless-numbers.ts`. */
        served: { type: 'number' },
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
