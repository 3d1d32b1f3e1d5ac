import type { ScheduledConfig } from '#exports/run-ports.ts'
import type { Db } from '../db.ts'
import { dueShard } from '../due-index.ts'
import { type Action, erase, put } from '../transact.ts'
import { dueExport } from './due-export-entity.ts'

type Due = Pick<ScheduledConfig, 'workspace_id' | 'id' | 'next_run_at'>

/**
 * The actions that bring the index of what is due from `before` to `after`, for the transaction of the configuration;
 * undefined: there is none. That transaction demands that `next_run_at` is what was read.
 */
export function dueExportActions(db: Db) {
  const items = dueExport(db)
  return (before: Due | undefined, after: Due | undefined): Action[] => {
    const [old, now] = [before && placeOf(before), after && placeOf(after)]
    if (old?.place === now?.place) return []
    return [
      ...(old === undefined ? [] : [erase(items.delete(old))]),
      ...(now === undefined || after === undefined
        ? []
        : [
            put(
              items.put({
                ...now,
                workspace_id: after.workspace_id,
                config_id: after.id,
                due_at: after.next_run_at ?? '',
              }),
            ),
          ]),
    ]
  }
}

/** The key of a configuration in the index; undefined where it has no schedule. */
export function placeOf({ id, next_run_at }: Pick<Due, 'id' | 'next_run_at'>) {
  return next_run_at === null ? undefined : { shard: dueShard(id), place: `${next_run_at}#${id}` }
}
