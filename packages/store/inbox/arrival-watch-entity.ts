import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * Something that arrived and is not judged for good. The sweeper lists these items of all workspaces, so the key has no
 * workspace.
 */
export function arrivalWatch(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'arrivalwatch', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id. It spreads the items over 16 partitions. */
        shard: { type: 'string', required: true },
        /** Sorts by age, mails before documents. */
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        /** When its message was last sent. */
        sent_at: { type: 'string', required: true },
      },
      indexes: {
        oldest: {
          pk: { field: 'pk', composite: ['shard'], template: 'arrivals#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
