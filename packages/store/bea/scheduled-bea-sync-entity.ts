import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An account that the schedule synchronises. The sweeper lists these items of all workspaces, so the key has no workspace. */
export function scheduledBeaSync(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'scheduledbeasync', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id. It spreads the items over 16 partitions. */
        shard: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
      },
      indexes: {
        oldest: {
          pk: { field: 'pk', composite: ['shard'], template: 'bea_syncs#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['account_id'], template: '${account_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
