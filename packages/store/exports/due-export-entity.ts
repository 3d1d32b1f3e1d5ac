import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A configuration whose schedule is due. The sweeper lists these items of all workspaces, so the key has none. */
export function dueExport(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'dueexport', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id. It spreads the configurations over 16 partitions. */
        shard: { type: 'string', required: true },
        /** `<next_run_at>#<id>`: sorts by time. */
        place: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        config_id: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
      },
      indexes: {
        longestDue: {
          pk: { field: 'pk', composite: ['shard'], template: 'exports#due#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
