import type { ExportRunRecord, ExportRunStore, RunKey } from '#exports/run-ports.ts'
import { finalReasons } from '#exports/run-schema.ts'
import { writeAll } from '../batch.ts'
import { allPages, strongly } from '../db.ts'
import { dueShard } from '../due-index.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, demand, erase, put, retryStale, Stale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { exportConfigEntity } from './export-config-entity.ts'
import { exportRun, unendedRun } from './export-run-entity.ts'

/** Runs of configurations in the table. */
export function exportRunStore({ db, cursors, outbox }: StoreDeps): ExportRunStore {
  const runs = exportRun(db)
  const unended = unendedRun(db)
  const configs = exportConfigEntity(db)
  const recordEvents = eventActions(db)

  const find = async (key: RunKey): Promise<ExportRunRecord | undefined> => {
    const { data } = await runs.get(key).go(strongly)
    return data === null ? undefined : withNulls(data, exportRun.nullable)
  }

  /** Requires that the configuration exists, and with `scheduled` that it has a schedule. */
  const configExists = ({ workspace_id, config_id }: RunKey, { scheduled }: { scheduled: boolean }) => {
    const removed = configs.remove({ workspace_id, id: config_id })
    return demand(
      scheduled ? removed.where(({ schedule }, { exists }) => exists(schedule)) : removed,
      () => new ConfigGone(),
    )
  }

  /** Replaces a run on the condition that it is in the same attempt and status. */
  const replaced = (before: ExportRunRecord, after: ExportRunRecord): Action => {
    const written = runs
      .put(withoutNulls(after))
      .where(({ attempt, status }, { eq }) =>
        [eq(attempt, before.attempt), eq(status, before.status)].join(' AND '),
      )
    return rewrite(runs, written, before)
  }

  const ended = ({ id }: RunKey) => erase(unended.delete({ shard: dueShard(id), id }))

  return {
    find,

    page: async (workspace_id, config_id, request) => {
      const query = runs.query.newest({ workspace_id, config_id })
      const binding = [workspace_id, 'export_runs', config_id]
      return mapPage(await newestFirst(cursors, binding, request, query), (run) =>
        withNulls(run, exportRun.nullable),
      )
    },

    latest: async (workspace_id, config_id) => {
      const { data } = await runs.query
        .newest({ workspace_id, config_id })
        .where(({ status }, { eq }) => eq(status, 'succeeded'))
        .go({ order: 'desc', ...allPages })
      const [newest] = data
      return newest === undefined ? undefined : withNulls(newest, exportRun.nullable)
    },

    begin: (key, { scheduled_at, at }) =>
      retryStale(async () => {
        const before = await find(key)
        if (before !== undefined && isOver(before)) return 'done'
        const record: ExportRunRecord = {
          ...key,
          scheduled_at,
          started_at: before?.started_at ?? at,
          finished_at: null,
          status: 'running',
          status_reason: null,
          row_count: null,
          size_bytes: null,
          attempt: (before?.attempt ?? 0) + 1,
          attempt_started_at: at,
          filename: null,
          mime_type: null,
          selection_sha256: null,
        }
        const written =
          before === undefined ? put(runs.create(withoutNulls(record))) : replaced(before, record)
        try {
          await transact(db, [configExists(key, { scheduled: true }), written])
        } catch (error) {
          if (error instanceof ConfigGone) return 'gone'
          throw error
        }
        return record
      }),

    end: async (record, result, { isFinal, jobs }) => {
      const written = replaced({ ...record, status: 'running' }, { ...record, ...result })
      const actions = [configExists(record, { scheduled: false }), written]
      const { workspace_id, id, config_id } = record
      const data = { id, case_id: null, config_id }
      const last = [
        ended(record),
        ...recordEvents(workspace_id, [{ type: `export_run.${result.status}`, data }]),
      ]
      return outbox.commit([...actions, ...(isFinal ? last : [])], jobs).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ConfigGone || error instanceof Stale) return false
          throw error
        },
      )
    },

    settle: (key) => transact(db, [ended(key)]),

    older: async (workspace_id, config_id, kept, limit) => {
      const query = runs.query.newest({ workspace_id, config_id })
      const { data } = await query.go({ order: 'desc', limit: kept + limit, ...strongly })
      return data.slice(kept).map((run) => withNulls(run, exportRun.nullable))
    },

    remove: (keys) => {
      const gone = keys.flatMap(({ workspace_id, config_id, id }) => [
        runs.delete({ workspace_id, config_id, id }),
        unended.delete({ shard: dueShard(id), id }),
      ])
      return writeAll(db, [], gone)
    },
  }
}

/**
 * A message that comes again begins no further attempt, so events say once how a run has ended. An exception is a run
 * that the queue has given up: if a person moves its message back, it is tried again.
 */
function isOver({ status, status_reason }: ExportRunRecord): boolean {
  return status === 'succeeded' || (status === 'failed' && finalReasons.includes(status_reason))
}

class ConfigGone extends Error {}
