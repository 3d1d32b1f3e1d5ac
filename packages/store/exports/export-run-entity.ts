import { runStatuses } from '#exports/run-schema.ts'
import { entity, listKey, number, oneOf, optionalNumber, optionalText, text } from '../entity.ts'

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
    finished_at: optionalText,
    status: oneOf(runStatuses),
    status_reason: optionalText,
    row_count: optionalNumber,
    size_bytes: optionalNumber,
    /** Counts the attempts. Every write is conditional on the attempt that it belongs to. */
    attempt: number,
    attempt_started_at: text,
    filename: optionalText,
    mime_type: optionalText,
    selection_sha256: optionalText,
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
