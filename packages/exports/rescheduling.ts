import { everyItem } from '#kernel/every-item.ts'
import { unlessGone } from '#kernel/failure.ts'
import type { ExportConfigStore } from './config-ports.ts'
import { nextRunAt } from './schedule.ts'

/** In the zone that is farthest ahead, a time comes less than this before the same time in German zones. */
const farthestMilliseconds = 14 * 3_600_000

/**
 * Moves the next run of each configuration of a firm to its time in the firm's new time zone, on the same day (X5). A run
 * whose time has passed then is due at once, so that no day lacks its run. Repeated calls change nothing.
 */
export async function rescheduleExports(
  configs: Pick<ExportConfigStore, 'page' | 'change'>,
  workspaceId: string,
  timeZone: string,
): Promise<void> {
  for await (const { id, schedule } of everyItem((request) => configs.page(workspaceId, request))) {
    if (schedule === null) continue
    await configs
      .change(workspaceId, id, (current) => {
        if (current.schedule === null || current.next_run_at === null) return { answer: undefined }
        const earlier = new Date(Date.parse(current.next_run_at) - farthestMilliseconds)
        const next_run_at = nextRunAt(current.schedule, earlier, timeZone).toISOString()
        if (next_run_at === current.next_run_at) return { answer: undefined }
        return { record: { ...current, next_run_at, version: current.version + 1 }, answer: undefined }
      })
      .catch(unlessGone('CONFIG_NOT_FOUND'))
  }
}
