import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A pushed event to be removed from its calendar. A worker lists these items of all workspaces, so the key has none. */
export function dueWithdrawal(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'duewithdrawal', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the event's id. It spreads the withdrawals over 16 partitions. */
        shard: { type: 'string', required: true },
        /** `<due_at>#<event_id>#<account_id>`: sorts by time. */
        place: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        event_id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        requested_at: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
        attempts: { type: 'number', required: true },
      },
      indexes: {
        longestDue: {
          pk: { field: 'pk', composite: ['shard'], template: 'withdrawals#due#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
        },
      },
    },
    db,
  )
}
