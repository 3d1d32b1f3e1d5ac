import { runStatuses } from '#exports/run-schema.ts'
import { entity, listKey, nullableNumber, nullableText, number, oneOf, text } from '../entity.ts'

/** A run of a configuration by its schedule. Its id has the scheduled time, so that ids sort by it. */
export const exportRun = entity(
  'exportrun',
  listKey('newest', '${workspace_id}#export_runs#${config_id}', '${id}'),
  {
    workspace_id: text,
    config_id: text,
    id: text,
    scheduled_at: text,
    started_at: text,
    finished_at: nullableText,
    status: oneOf(runStatuses),
    status_reason: nullableText,
    row_count: nullableNumber,
    size_bytes: nullableNumber,
    /** Counts the attempts. Every write is conditional on the attempt that it belongs to. */
    attempt: number,
    attempt_started_at: text,
    filename: nullableText,
    mime_type: nullableText,
    selection_sha256: nullableText,
  },
)

/** A run that was enqueued and has not ended. After the queues were lost, the sweeper sends it again. */
export const unendedRun = entity('unendedrun', listKey('oldest', 'exports#unended#${shard}', '${id}'), {
  /** The last hexadecimal digit of the id. */
  shard: text,
  id: text,
  workspace_id: text,
  config_id: text,
  scheduled_at: text,
})
