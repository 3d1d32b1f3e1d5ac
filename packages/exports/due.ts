import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { runExport } from './jobs.ts'
import { runKeyOf } from './run-keys.ts'
import type { DueExport, DueExports, RunOrder, ScheduledConfig } from './run-ports.ts'
import { nextRunAt } from './schedule.ts'

/** How many runs a sweep enqueued or sent again, and how many configurations or shards failed. */
export type DueExportResult = { begun: number; sentAgain: number; failed: number }

/**
 * Enqueues the runs of the configurations that are due at `now`, each once, and moves the configurations to their next
 * time after `now`. So after an outage of several periods a configuration runs once. With `queueWasLost`, every
 * unfinished run is sent again.
 *
 * A configuration that fails is due again a minute later (`sweeping`).
 */
export async function runDueExports(
  deps: {
    configs: { find: (workspaceId: string, id: string) => Promise<ScheduledConfig | undefined> }
    workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
    due: DueExports
    send: SendMessage<RunOrder>
    log: SweepLog
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<DueExportResult> {
  const { configs, workspaces, due, send, log } = deps
  const sweep = sweeping({ name: 'exports', milliseconds, log })
  const result: DueExportResult = { begun: 0, sentAgain: 0, failed: 0 }

  const begin = async (one: DueExport): Promise<void> => {
    const { workspace_id, config_id, due_at: scheduled_at } = one
    const [config, workspace] = await Promise.all([
      configs.find(workspace_id, config_id),
      workspaces.find(workspace_id),
    ])
    // It was changed or deleted meanwhile, and that transaction moved the entry.
    if (config === undefined || config.schedule === null || workspace === undefined) return
    const order = { workspace_id, config_id, scheduled_at }
    const next = nextRunAt(config.schedule, now, workspace.time_zone).toISOString()
    const follow = { run: runKeyOf(order), jobs: [runExport.of(order)] }
    if (await due.advance(one, next, follow)) result.begun += 1
  }

  if (queueWasLost)
    await sweep.eachDue(due.unended, now, async (order) => {
      await send(order)
      result.sentAgain += 1
    })
  await sweep.eachDue(due, now, begin)
  return { ...result, failed: sweep.failed() }
}
