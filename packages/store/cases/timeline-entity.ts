import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An entry of a case's timeline, written in the transaction of the change that it describes (C6). */
export function timelineEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'timeline', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        type: { type: 'string', required: true },
        occurred_at: { type: 'string', required: true },
        actor: { type: 'any', required: true },
        summary: { type: 'string', required: true },
        ref: { type: 'any' },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'case_id'],
            template: '${workspace_id}#timeline#${case_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
