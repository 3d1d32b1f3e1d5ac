import { CustomAttributeType, Entity } from 'electrodb'
import type { JobKind } from '#jobs/job.ts'
import type { Db } from '../db.ts'

/** A job that is not finished, sorted by when it is due. The sweeper runs jobs of all workspaces: the key has none. */
export function waitingJob(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'waitingjob', version: '1' },
      attributes: {
        /** The last two hexadecimal digits of the id. They spread the jobs over 256 partitions. */
        shard: { type: 'string', required: true },
        due_at: { type: 'string', required: true },
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        /** Any text: a sweeper may be older than what enqueued the job. */
        kind: { type: CustomAttributeType<JobKind>('string'), required: true },
        /** The version of the payload. */
        version: { type: 'number', required: true },
        payload: { type: 'any', required: true },
        /** How often the sweeper began to run it. */
        attempts: { type: 'number', required: true },
        /** Why the last attempt failed. */
        last_error: { type: 'string' },
      },
      indexes: {
        due: {
          pk: { field: 'pk', composite: ['shard'], template: 'outbox#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['due_at', 'id'], template: '${due_at}#${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

export const jobShards = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

/** A job that was parked, sorted by id. */
export function parkedJob(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'job', version: '1' },
      attributes: {
        shard: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        /** Any text: a sweeper may be older than what enqueued the job. */
        kind: { type: CustomAttributeType<JobKind>('string'), required: true },
        /** The version of the payload. */
        version: { type: 'number', required: true },
        payload: { type: 'any', required: true },
        attempts: { type: 'number', required: true },
        last_error: { type: 'string' },
        parked_at: { type: 'string', required: true },
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
