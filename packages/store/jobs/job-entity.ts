import { CustomAttributeType } from 'electrodb'
import type { JobKind } from '#jobs/job.ts'
import { entity, json, listKey, number, optional, text } from '../entity.ts'

const attributes = {
  name: text,
  /** Any text: a sweeper may be older than what enqueued the job. */
  kind: { type: CustomAttributeType<JobKind>('string'), required: true },
  /** The version of the payload. */
  version: number,
  payload: json,
  /** How often the sweeper began to run it. */
  attempts: number,
  /** Why the last attempt failed. */
  last_error: optional(text),
} as const

/** A job that is not finished, sorted by when it is due. The sweeper runs jobs of all workspaces: the key has none. */
export const waitingJob = entity(
  'waitingjob',
  listKey('due', 'outbox#${shard}', '${due_at}#${id}'),
  attributes,
)

/** A job that was parked, sorted by id. */
export const parkedJob = entity('job', listKey('oldest', 'outbox#${shard}', '${id}'), {
  ...attributes,
  parked_at: text,
})
