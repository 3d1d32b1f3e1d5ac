import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** One entry of a deadline's history, created with the change that it describes and never written again (F11). */
export function historyEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'history', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        deadline_id: { type: 'string', required: true },
        /** The entry's `seq` with leading zeros. */
        position: { type: 'string', required: true },
        /** The entry as it is answered, word for word: its hash is over it. */
        entry: { type: 'any', required: true },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'deadline_id'],
            template: '${workspace_id}#history#${deadline_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['position'], template: '${position}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** What happened to deadlines on a day: refers to the entries of their histories (F12). */
export function journalEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'journal', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** The date in UTC, so that a workspace can change its time zone. */
        day: { type: 'string', required: true },
        /** `<at>#<deadline_id>#<position>`: sorts by time. */
        place: { type: 'string', required: true },
        deadline_id: { type: 'string', required: true },
        position: { type: 'string', required: true },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'day'],
            template: '${workspace_id}#journal#${day}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
