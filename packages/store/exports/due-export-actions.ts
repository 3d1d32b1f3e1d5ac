import type { ScheduledConfig } from '#exports/run-ports.ts'
import type { Db } from '../db.ts'
import { dueChanges, dueShard } from '../due-index.ts'
import { dueExport } from './due-export-entity.ts'

type Due = Pick<ScheduledConfig, 'workspace_id' | 'id' | 'next_run_at'>

/**
 * The actions that bring the index of what is due from `before` to `after`, for the transaction of the configuration;
 * undefined: there is none. That transaction requires that `next_run_at` is unchanged since it was read.
 */
export function dueExportActions(db: Db) {
  return dueChanges(dueExport(db), (record: Due) => {
    const { workspace_id, id: config_id, next_run_at } = record
    const place = placeOf(record)
    return place && next_run_at !== null
      ? { ...place, workspace_id, config_id, due_at: next_run_at }
      : undefined
  })
}

/** The key of a configuration in the index; undefined if it has no schedule. */
export function placeOf({ id, next_run_at }: Pick<Due, 'id' | 'next_run_at'>) {
  return next_run_at === null ? undefined : { shard: dueShard(id), place: `${next_run_at}#${id}` }
}
