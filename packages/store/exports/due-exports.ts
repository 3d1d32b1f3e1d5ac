import type { DueExports, ScheduledConfig } from '#exports/run-ports.ts'
import type { Db } from '../db.ts'
import { dueChanges, dueIndex, dueKey, dueShard, timedIndex } from '../due-index.ts'
import type { Outbox } from '../outbox.ts'
import { change, isMade, put } from '../transact.ts'
import { dueExport } from './due-export-entity.ts'
import { exportConfigEntity } from './export-config-entity.ts'
import { unendedRun } from './export-run-entity.ts'

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

/** The configurations in the table that are due, and the runs that have not ended. */
export function dueExports({ db, outbox }: { db: Db; outbox: Outbox }): DueExports {
  const items = dueExport(db)
  const unended = unendedRun(db)
  const configs = exportConfigEntity(db)
  const moved = dueExportActions(db)
  return {
    ...timedIndex('exports#due', items, ({ workspace_id, config_id, due_at }) => ({
      workspace_id,
      config_id,
      due_at,
    })),

    advance: ({ workspace_id, config_id: id, due_at }, next_run_at, { run, jobs }) => {
      const config = { workspace_id, id }
      const before = { ...config, next_run_at: due_at }
      const actions = [
        change(
          configs
            .patch(config)
            .set({ next_run_at })
            .where((attributes, { eq }) => eq(attributes.next_run_at, due_at)),
        ),
        ...moved(before, { ...config, next_run_at }),
        put(unended.put({ ...run, shard: dueShard(run.id), scheduled_at: due_at })),
      ]
      return isMade(outbox.commit(actions, jobs))
    },

    unended: dueIndex(
      'exports#unended',
      (shard) => unended.query.oldest({ shard }),
      ({ workspace_id, config_id, scheduled_at }) => ({ workspace_id, config_id, scheduled_at }),
    ),
  }
}
