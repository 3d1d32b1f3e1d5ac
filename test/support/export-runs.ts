import type * as z from 'zod'
import type { ExportConfigRecord } from '#exports/config-ports.ts'
import { exportService } from '#exports/configs.ts'
import { runDueExports } from '#exports/due.ts'
import { exportJobs, runExport } from '#exports/jobs.ts'
import type { exportRunQueue } from '#exports/queue-schema.ts'
import type { ExportFile, ExportFiles, RunOrder, RunTimes } from '#exports/run-ports.ts'
import { exportRunning } from '#exports/running.ts'
import { selectionDigest } from '#exports/selection-schema.ts'
import { queues } from '#functions/queues.ts'
import { jobRunner } from '#jobs/runner.ts'
import type { Actor } from '#kernel/actor.ts'
import { newId } from '#kernel/id.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { dueExports } from '#store/exports/due-exports.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { exportRunStore } from '#store/exports/export-run-store.ts'
import { outbox } from '#store/outbox.ts'
import { pageOut } from '#store/page-out.ts'

/** The schedules and runs of a firm, on the stores of this table, with files and waiting messages in memory. */
export function scheduledFirm(db: Db, options: { timeZone?: string } = {}) {
  const workspace_id = newId('workspace')
  const actor: Actor = { workspace_id, user_id: newId('user'), user_name: '', key_id: '', scopes: [] }
  const workspace = { time_zone: options.timeZone ?? 'Europe/Berlin' }
  const workspaces = { find: async (id: string) => (id === workspace_id ? workspace : undefined) }
  const objects = new Map<string, string>()
  const files: ExportFiles = {
    putStream: async (key, bytes, { signal }) => {
      let stored = ''
      for await (const chunk of bytes) {
        signal.throwIfAborted()
        stored += Buffer.from(chunk).toString()
      }
      objects.set(key, stored)
      return stored.length
    },
    stream: async function* (key: string) {
      yield Buffer.from(objects.get(key) ?? '')
    } as unknown as ExportFiles['stream'],
    remove: async (keys) => {
      for (const key of keys) objects.delete(key)
    },
  }

  const sent: RunOrder[] = []
  const send = async (order: z.input<typeof exportRunQueue.payload>) => {
    if (order.workspace_id === workspace_id && 'config_id' in order) sent.push(order)
  }
  const cursors = tableCursors(db)
  const runner = jobRunner()
  const log = { error: () => {}, warn: () => {} }
  const jobs = outbox(db, runner, log)
  const runs = exportRunStore({ db, cursors, outbox: jobs })
  runner.handle(...exportJobs({ runs, files }), runExport.handledBy(send))
  const configs = exportConfigStore({ db, cursors, outbox: jobs })
  let now = new Date('2026-11-20T12:00:00.000Z')
  const clock = { now: () => now }

  /** Creates the file of a configuration: by default it contains the configuration's name. */
  let make = async (config: ExportConfigRecord, _now: Date, _times: RunTimes): Promise<ExportFile> =>
    fileOf([config.name], selectionDigest(config))
  const running = exportRunning({
    runs,
    files,
    clock,
    log,
    maxAttempts: queues['export-runs'].maxReceives,
    make: async (workspaceId, configId, now, times) => {
      const config = await configs.find(workspaceId, configId)
      return config && make(config, now, times)
    },
  })

  return {
    workspace,
    objects,
    sent,
    runs,
    files,
    configs: exportService({ configs, workspaces, pageOut: pageOut(cursors), clock }),
    actor,
    store: configs,
    running,
    setNow: (at: string) => {
      now = new Date(at)
    },
    makeFiles: (by: typeof make) => {
      make = by
    },

    addConfig: async (schedule: object | null = { frequency: 'daily', time: '06:00' }) => {
      const input = { name: 'Zeiten', source: 'time_entries', format: 'csv', schedule }
      const service = exportService({ configs, workspaces, pageOut: pageOut(cursors), clock })
      return (await service.create(actor, input as Parameters<typeof service.create>[1])).id
    },

    /** A sweep at the present time. */
    sweep: (limits: { queueWasLost?: boolean } = {}) =>
      runDueExports({ configs, workspaces, due: dueExports({ db, outbox: jobs }), send, log }, now, {
        ...limits,
        milliseconds: 60_000,
      }),

    /** The worker processes every waiting message. */
    work: async () => {
      for (const order of sent.splice(0)) await running.run(order, new AbortController().signal)
    },

    /** A configuration as it is stored. */
    configOf: async (configId: string): Promise<ExportConfigRecord> => {
      const config = await configs.find(workspace_id, configId)
      if (config === undefined) throw new Error(`There is no configuration ${configId}.`)
      return config
    },

    /** All runs of a configuration, newest first. */
    runsOf: async (configId: string) => (await runs.page(workspace_id, configId, { limit: 100 })).data,
  }
}

export function fileOf(chunks: string[], selection_sha256 = ''): ExportFile {
  return {
    filename: 'Zeiten.csv',
    mime_type: 'text/csv',
    selection_sha256,
    rowCount: () => chunks.length,
    bytes: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk)
    })(),
  }
}
