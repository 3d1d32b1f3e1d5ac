import type { SendMessage } from '#jobs/job.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { runExport } from './jobs.ts'
import { runKeyOf } from './run-keys.ts'
import type { DueExport, DueExports, RunOrder, ScheduledConfig } from './run-ports.ts'
import { nextRunAt } from './schedule.ts'

/** How many runs a sweep enqueued or sent again, and how many configurations or shards failed. */
export type DueExportResult = { begun: number; sentAgain: number; failed: number }

/**
 * Enqueues the runs of the configurations that are due at `now`, each once, and moves the configurations to their next
 * time after `now`: after an outage of several periods a configuration runs once. After the queues were lost, every run
 * that has not ended is sent again.
 *
 * A configuration that fails holds up no other, and is due again a minute later. Nothing is begun once `milliseconds`
 * are over.
 */
export async function runDueExports(
  deps: {
    configs: { find: (workspaceId: string, id: string) => Promise<ScheduledConfig | undefined> }
    workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
    due: DueExports
    send: SendMessage<RunOrder>
    log: { error: (message: string, fields: Record<string, unknown>) => void }
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<DueExportResult> {
  const { configs, workspaces, due, send, log } = deps
  const until = performance.now() + milliseconds
  const result: DueExportResult = { begun: 0, sentAgain: 0, failed: 0 }

  const failed = (fields: Record<string, unknown>, error: unknown) => {
    result.failed += 1
    log.error('due export failed', { ...fields, error: error instanceof Error ? error.stack : error })
  }

  const begin = async (one: DueExport): Promise<void> => {
    const { workspace_id, config_id, due_at: scheduled_at } = one
    const [config, workspace] = await Promise.all([
      configs.find(workspace_id, config_id),
      workspaces.find(workspace_id),
    ])
    // Changed or deleted meanwhile: its own transaction moved the entry.
    if (config === undefined || config.schedule === null || workspace === undefined) return
    const order = { workspace_id, config_id, scheduled_at }
    const next = nextRunAt(config.schedule, now, workspace.time_zone).toISOString()
    const follow = { run: runKeyOf(order), jobs: [runExport.of(order)] }
    if (await due.advance(one, next, follow)) result.begun += 1
  }

  const visit = async (shard: string): Promise<void> => {
    if (queueWasLost)
      for await (const order of due.unended(shard)) {
        await send(order)
        result.sentAgain += 1
      }
    for await (const one of due.due(shard, now)) {
      if (performance.now() >= until) return
      await begin(one).catch((error: unknown) => failed({ config_id: one.config_id }, error))
    }
  }

  const visited = (shard: string) => visit(shard).catch((error: unknown) => failed({ shard }, error))
  // All at once: many schedules are for the same minute, and a run begins within a minute of its time (X5).
  await inParallel(due.shards, visited, due.shards.length)
  return result
}
