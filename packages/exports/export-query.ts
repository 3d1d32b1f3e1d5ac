import { localDateOf } from '#german-time/local-time.ts'
import { bookingPeriod } from './booking-period.ts'
import type { BookingPeriod } from './booking-ports.ts'
import { columnsOf } from './columns.ts'
import type { ExportConfigRecord } from './config-ports.ts'
import { withinKnownDays } from './filters.ts'
import type { SourceQuery } from './ports.ts'
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
 * @param dueAt when a scheduled run was due: it belongs to this year, even if it begins after the turn of the year
 * @throws Failure INVALID_FILTER for bookings of several years
 */
export async function exportQuery<Workspace extends { time_zone: string }>(
  workspaces: ExportWorkspaces<Workspace>,
  config: ExportConfigRecord,
  now: Date,
  dueAt = now,
): Promise<ExportQuery<Workspace>> {
  const { workspace_id, source, csv_dialect } = config
  const workspace = await workspaces.find(workspace_id)
  if (workspace === undefined) throw new Error(`There is no workspace ${workspace_id}.`)
  const { time_zone } = workspace
  const columns = columnsOf(source, config.columns)
  const fields = new Set(columns.map(({ field }) => field))
  const period =
    csv_dialect === 'datev' ? bookingPeriod(config.filters, localDateOf(dueAt, time_zone)) : undefined
  const filters = {
    ...withinKnownDays(config.filters),
    ...(period && { date_from: period.from, date_to: period.to }),
  }
  return { workspace, columns, period, query: { workspace_id, time_zone, filters, fields, now } }
}
