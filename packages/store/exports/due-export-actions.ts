import type { ScheduledConfig } from '#exports/run-ports.ts'
import type { Db } from '../db.ts'
import { dueChanges, dueKey } from '../due-index.ts'
import { dueExport } from './due-export-entity.ts'

type Due = Pick<ScheduledConfig, 'workspace_id' | 'id' | 'next_run_at'>

/**
 * The actions that bring the index of what is due from `before` to `after`, for the transaction of the configuration;
 * undefined: there is none. That transaction requires that `next_run_at` is unchanged since it was read.
 */
export function dueExportActions(db: Db) {
  return dueChanges(dueExport(db), ({ workspace_id, id: config_id, next_run_at: due_at }: Due) =>
    due_at === null ? undefined : { ...dueKey(due_at, config_id), workspace_id, config_id, due_at },
  )
}
