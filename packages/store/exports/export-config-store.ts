import type { ExportConfigRecord, ExportConfigStore } from '#exports/config-ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { notFound } from '#kernel/failure.ts'
import { changesOf } from '../changes.ts'
import { missingOrBelow, whole } from '../db.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withoutNulls } from '../nulls.ts'
import { asRead, records } from '../records.ts'
import { unknownOf, withUnknown } from '../rewrite.ts'
import type { StoreDeps } from '../store-deps.ts'
import { erase, put, retryStale } from '../transact.ts'
import { dueExportActions } from './due-exports.ts'
import { deletedExportConfig, exportConfigEntity } from './export-config-entity.ts'

/** Configurations of exports in the table. */
export function exportConfigStore(deps: StoreDeps): ExportConfigStore {
  const { db, cursors, outbox } = deps
  const items = exportConfigEntity(db)
  const configs = records<ExportConfigRecord>(db, exportConfigEntity, {
    missing: 'CONFIG_NOT_FOUND',
    alike: ['next_run_at'],
    mayLack: optional,
  })
  const deleted = deletedExportConfig(db)
  const due = dueExportActions(db)
  const { add, change } = changesOf<ExportConfigRecord>(deps, configs, {
    events: 'none',
    follow: (before, after) => ({ actions: due(before, after) }),
  })

  return {
    find: configs.find,

    page: async (workspaceId, request) => {
      const query = items.query.newest({ workspace_id: workspaceId })
      const binding = [workspaceId, 'export_configs']
      return mapPage(await newestFirst(cursors, binding, request, query), configs.recordOf)
    },

    add,
    change,

    remove: (workspaceId, id, decide) =>
      retryStale(async () => {
        const { data: stored } = await items.get({ workspace_id: workspaceId, id }).go(whole)
        if (stored === null) throw notFound('CONFIG_NOT_FOUND')
        const before = configs.recordOf(stored)
        const removal = decide(before)
        const kept = deleted.create({ ...withoutNulls(before), deleted_at: removal.deleted_at })
        return outbox.commit(
          [
            erase(items.remove({ workspace_id: workspaceId, id }).where(asRead(before, 'next_run_at'))),
            put(withUnknown(kept, unknownOf(items, stored))),
            ...due(before, undefined),
          ],
          removal.jobs ?? [],
          removal,
        )
      }),

    touch: async (workspaceId, id, at) => {
      const touched = items
        .patch({ workspace_id: workspaceId, id })
        .set({ last_executed_at: at })
        // A change that was decided before must not undo this.
        .add({ version: 1 })
        .where(missingOrBelow('last_executed_at', at))
      await bookkeeping(() => touched.go({ originalErr: true })).catch(() => undefined)
    },
  }
}

/** The nested members that a configuration may lack. */
const optional = {
  'filters.date_from': true,
  'filters.date_to': true,
  'filters.status': true,
  'filters.type': true,
  'filters.dezernat': true,
  'filters.case_id': true,
  'filters.party_id': true,
  'filters.user_id': true,
  'filters.folder_id': true,
  'filters.billable': true,
  'schedule.weekday': true,
  'schedule.day': true,
} as const
