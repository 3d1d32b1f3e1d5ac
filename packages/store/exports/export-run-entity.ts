import { runStatuses } from '#exports/run-schema.ts'
import { entity, listKey, nullable, number, oneOf, text } from '../entity.ts'

/** A run of a configuration by its schedule. Its id has the scheduled time, so that ids sort by it. */
export const exportRun = entity(
  'exportrun',
  listKey('newest', '${workspace_id}#export_runs#${config_id}', '${id}'),
  {
    scheduled_at: text,
    started_at: text,
    finished_at: nullable(text),
    status: oneOf(runStatuses),
    status_reason: nullable(text),
    row_count: nullable(number),
    size_bytes: nullable(number),
    /** Counts the attempts. Every write is conditional on the attempt that it belongs to. */
    attempt: number,
    attempt_started_at: text,
    filename: nullable(text),
    mime_type: nullable(text),
    selection_sha256: nullable(text),
  },
)

/** A run that was enqueued and has not ended. After the queues were lost, the sweeper sends it again. */
export const unendedRun = entity('unendedrun', listKey('oldest', 'exports#unended#${shard}', '${id}'), {
  workspace_id: text,
  config_id: text,
  scheduled_at: text,
})
