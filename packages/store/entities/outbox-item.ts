import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A job that was recorded with a change and is not done yet. Jobs belong to the service, so the key has no workspace. */
export function outboxItem(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'job', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id, so that no partition takes all jobs; `parked` if it was put aside. */
        shard: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        kind: { type: ['follow-up', 'hand-over'] as const },
        /** The version of the payload. */
        version: { type: 'number' },
        payload: { type: 'any', required: true },
        /** How often the sweeper failed to do it. */
        attempts: { type: 'number' },
      },
      indexes: {
        oldest: {
          pk: { field: 'pk', composite: ['shard'], template: 'outbox#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

export const outboxShards = [...'0123456789abcdef']
