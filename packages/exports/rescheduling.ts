import { calendarDateOf } from '#german-time/calendar-date.ts'
import { instantOfLocalTime } from '#german-time/local-time.ts'
import { everyItem } from '#kernel/every-item.ts'
import { unlessGone } from '#kernel/failure.ts'
import type { ExportConfigStore } from './config-ports.ts'
import { nextRunAt } from './schedule.ts'
import type { Schedule } from './schedule-schema.ts'

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
        const next_run_at = sameDay(current.schedule, Date.parse(current.next_run_at), timeZone).toISOString()
        if (next_run_at === current.next_run_at) return { answer: undefined }
        return { record: { ...current, next_run_at, version: current.version + 1 }, answer: undefined }
      })
      .catch(unlessGone('CONFIG_NOT_FOUND'))
  }
}

/** The run of the day of a given run, in another time zone. The zone of the given run is within 12 hours of UTC. */
function sameDay(schedule: Schedule, at: number, timeZone: string): Date {
  const from = (instant: number) => nextRunAt(schedule, new Date(instant - 1), timeZone)
  if (from(at).getTime() === at) return new Date(at)
  const day = Math.round((at - Date.parse(`1970-01-01T${schedule.time}Z`)) / 86_400_000)
  return from(instantOfLocalTime(calendarDateOf(day), schedule.time, timeZone).getTime())
}
