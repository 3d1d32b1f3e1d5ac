import { localDateOf } from '#german-time/local-time.ts'
import { bookingPeriod } from './booking-period.ts'
import type { BookingPeriod } from './booking-ports.ts'
import { columnsOf } from './columns.ts'
import type { ExportConfigRecord } from './config-ports.ts'
import { withinKnownDays } from './filters.ts'
import type { SourceFilters, SourceQuery } from './ports.ts'
import type { RunTimes } from './run-ports.ts'
import { dayOfRunBefore } from './schedule.ts'
import type { Column } from './table-schema.ts'

/** The part of workspaces that an export uses. */
export type ExportWorkspaces<Workspace> = { find: (id: string) => Promise<Workspace | undefined> }

export type ExportQuery<Workspace> = {
  workspace: Workspace
  columns: readonly Column[]
  query: SourceQuery
  /** The days of a batch of bookings for DATEV, which limit the query; undefined for every other export. */
  period: BookingPeriod | undefined
}

/**
 * The workspace of a configuration, its columns, and the query for its current rows.
 *
 * @param times of a scheduled run
 * @throws Failure INVALID_FILTER for bookings of several years
 */
export async function exportQuery<Workspace extends { time_zone: string }>(
  workspaces: ExportWorkspaces<Workspace>,
  config: ExportConfigRecord,
  now: Date,
  times?: RunTimes,
): Promise<ExportQuery<Workspace>> {
  const { workspace_id, source, csv_dialect } = config
  const workspace = await workspaces.find(workspace_id)
  if (workspace === undefined) throw new Error(`There is no workspace ${workspace_id}.`)
  const { time_zone } = workspace
  const columns = columnsOf(source, config.columns)
  const fields = new Set(columns.map(({ field }) => field))
  const period = csv_dialect === 'datev' ? periodOf(config, now, times, time_zone) : undefined
  const filters =
    period === undefined
      ? withinKnownDays(config.filters)
      : { ...bookingFilters(config.filters), date_from: period.from, date_to: period.to }
  return { workspace, columns, period, query: { workspace_id, time_zone, filters, fields, now } }
}

/**
 * The filters of a batch of bookings. `status: "issued"` means every invoice that was issued, also if it was paid or
 * cancelled later: a batch with a cancellation and without its invoice would book the wrong revenue.
 */
function bookingFilters({ status, ...others }: SourceFilters): SourceFilters {
  return status === undefined || status === 'issued' ? others : { ...others, status }
}

/**
 * The days of a batch of bookings. Without `date_to` a schedule goes on from year to year. A run is for the year of the
 * newest run that has succeeded, but not for a year before the last one. So the first run of a year has the whole old
 * year, also what came after its last run. If no run has succeeded, the schedule says when one would have been.
 */
function periodOf(
  { filters, schedule }: ExportConfigRecord,
  now: Date,
  times: RunTimes | undefined,
  timeZone: string,
): BookingPeriod {
  const today = localDateOf(times?.dueAt ?? now, timeZone)
  if (times === undefined || schedule === null) return bookingPeriod(filters, today)
  const before = times.before
    ? localDateOf(times.before, timeZone)
    : dayOfRunBefore(schedule, times.dueAt, timeZone)
  const endOfLastYear = `${Number(today.slice(0, 4)) - 1}-12-31`
  const day = before < endOfLastYear ? endOfLastYear : before
  const { date_from = day, date_to } = filters
  const hasBegunBefore = date_to === undefined && date_from < day.slice(0, 4)
  return bookingPeriod(hasBegunBefore ? {} : filters, day)
}
