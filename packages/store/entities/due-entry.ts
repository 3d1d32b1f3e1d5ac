import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * A deadline's place in the lists by due time (`deadline-store.ts`): one for each combination of case and
 * assignee that a list can be narrowed to, filed under the deadline's state.
 */
export function dueEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'due', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true, field: 'w' },
        /** `open`, `open case=<uuid>`, `verified user=<id>`, `completed case=<uuid> user=<id>`, `struck`, … */
        term: { type: 'string', required: true, field: 't' },
        /** `<due_at>#<id>`: sorts by due time, and by age where that is the same. */
        place: { type: 'string', required: true, field: 'p' },
        /** The record of the deadline as JSON: a feed reads thousands, and one text costs less than its fields. */
        deadline: { type: 'string', required: true, field: 'd' },
      },
      indexes: {
        soonest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'term'],
            template: '${workspace_id}#due#${term}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
