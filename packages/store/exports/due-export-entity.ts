import { Entity } from 'electrodb'
import type { Db } from '../db.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'

/** A configuration whose schedule is due. */
export function dueExport(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'dueexport', version: '1' },
      attributes: {
        ...dueAttributes,
        config_id: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
      },
      indexes: dueKeys('exports#due'),
    },
    db,
  )
}
