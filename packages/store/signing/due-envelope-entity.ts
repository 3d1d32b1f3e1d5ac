import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An envelope for which something is due. The sweeper lists these items of all workspaces, so the key has none. */
export function dueEnvelope(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'dueenvelope', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id. It spreads the envelopes over 16 partitions. */
        shard: { type: 'string', required: true },
        /** `<due_at>#<id>`: sorts by time. After a failure `<next attempt>#<id>#again`, which no other change touches. */
        place: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        /** How often what was due failed in a row; absent where it did not. */
        attempts: { type: 'number' },
      },
      indexes: {
        longestDue: {
          pk: { field: 'pk', composite: ['shard'], template: 'envelopes#due#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
