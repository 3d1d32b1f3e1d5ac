import type { DueExports } from '#exports/run-ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import type { Outbox } from '../outbox.ts'
import { change, isMade, put } from '../transact.ts'
import { dueExportActions } from './due-export-actions.ts'
import { dueExport } from './due-export-entity.ts'
import { exportConfigEntity } from './export-config-entity.ts'
import { unendedRun } from './export-run-entity.ts'

/** So many items are read at a time. */
const pageSize = 50

/** The configurations in the table that are due, and the runs that have not ended. */
export function dueExports({ db, outbox }: { db: Db; outbox: Outbox }): DueExports {
  const items = lazily(() => dueExport(db))
  const unended = lazily(() => unendedRun(db))
  const configs = lazily(() => exportConfigEntity(db))
  const moved = dueExportActions(db)
  return {
    shards: [...'0123456789abcdef'],

    due: async function* (shard, at) {
      const end = new Date(at.getTime() + 1).toISOString()
      const query = items.query.longestDue({ shard }).lt({ place: end })
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await query.go({ limit: pageSize, ...(cursor && { cursor }), ...strongly })
        for (const { workspace_id, config_id, due_at } of page.data) yield { workspace_id, config_id, due_at }
        cursor = page.cursor
      }
    },

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
        put(unended.put({ ...run, shard: run.id.slice(-1), scheduled_at: due_at })),
      ]
      return isMade(outbox.commit(actions, jobs))
    },

    unended: async function* (shard) {
      const query = unended.query.oldest({ shard })
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await query.go({ limit: pageSize, ...(cursor && { cursor }), ...strongly })
        for (const { workspace_id, config_id, scheduled_at } of page.data)
          yield { workspace_id, config_id, scheduled_at }
        cursor = page.cursor
      }
    },
  }
}
