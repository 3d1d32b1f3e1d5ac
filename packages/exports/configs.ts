import type { Actor } from '#kernel/actor.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { invalid, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { bookingPeriod } from './booking-period.ts'
import { columnsOf } from './columns.ts'
import type { ExportConfigRecord, ExportConfigStore } from './config-ports.ts'
import { filtersOf } from './filters.ts'
import { removeRuns } from './jobs.ts'
import { nextRunAt } from './schedule.ts'
import type { Schedule } from './schedule-schema.ts'
import {
  type CsvDialect,
  dialectFaults,
  type ExportColumn,
  type ExportConfig,
  type ExportConfigChanges,
  type ExportConfigInput,
  type ExportFormat,
  type ExportSource,
} from './schema.ts'
import { sources } from './sources.ts'
import { type ExportSourceName, exportSources } from './table-schema.ts'

export type ExportServiceDeps = {
  configs: ExportConfigStore
  workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
  pageOut: PageOut
  clock: Clock
}

export type ExportService = ReturnType<typeof exportService>

/** Configurations of exports (X1, X2, X5). */
export function exportService({ configs, workspaces, pageOut, clock }: ExportServiceDeps) {
  /** When a schedule is due next. */
  const nextRun = async (workspaceId: string, schedule: Schedule | null | undefined) => {
    if (schedule === null || schedule === undefined) return null
    const workspace = await workspaces.find(workspaceId)
    if (workspace === undefined) throw new Error(`There is no workspace ${workspaceId}.`)
    return nextRunAt(schedule, clock.now(), workspace.time_zone).toISOString()
  }

  return {
    /** The sources that can be exported. */
    sources: ({ workspace_id }: Actor, request: PageRequest): Promise<Page<ExportSource>> =>
      pageOut(
        [workspace_id, 'export_sources'],
        exportSources.map((source) => ({
          source,
          fields: [...sources[source].fields],
          filters: Object.keys(sources[source].filters),
        })),
        request,
        ({ source }) => source,
      ),

    /** A page of configurations, newest first. */
    async list({ workspace_id }: Actor, request: PageRequest): Promise<Page<ExportConfig>> {
      const { data, pagination } = await configs.page(workspace_id, request)
      return { data: data.map(shown), pagination }
    },

    /** @throws Failure INVALID_FILTER, VALIDATION_ERROR for a dialect that does not match */
    async create({ workspace_id }: Actor, input: ExportConfigInput): Promise<Answered<ExportConfig>> {
      const { name, source, format } = input
      const record: ExportConfigRecord = {
        workspace_id,
        id: newId('exportConfig'),
        name,
        description: input.description ?? null,
        source,
        format,
        csv_dialect: dialectOf(source, format, input.csv_dialect),
        filters: filtersOf(source, input.filters),
        columns: configuredColumns(source, input.columns),
        schedule: input.schedule ?? null,
        next_run_at: await nextRun(workspace_id, input.schedule),
        last_executed_at: null,
        created_at: timestamp(clock),
        version: 1,
      }
      requireOneYear(record)
      return configs.add({ record, answer: shown(record) })
    },

    /** @throws Failure CONFIG_NOT_FOUND */
    async get({ workspace_id }: Actor, id: string): Promise<ExportConfig> {
      const record = required(await configs.find(workspace_id, id), 'CONFIG_NOT_FOUND')
      return shown(record)
    },

    /**
     * Changes the included fields. Filters and columns, included or stored, must fit the resulting source. Columns that
     * were never chosen become the columns of the new source.
     *
     * @throws Failure CONFIG_NOT_FOUND, PRECONDITION_FAILED, INVALID_FILTER, VALIDATION_ERROR
     */
    async change(
      { workspace_id }: Actor,
      id: string,
      changes: ExportConfigChanges,
      precondition: Precondition<ExportConfig>,
    ): Promise<ExportConfig> {
      const next_run_at = await nextRun(workspace_id, changes.schedule)
      return configs.change(workspace_id, id, (current) => {
        precondition(shown(current))
        const source = changes.source ?? current.source
        const format = changes.format ?? current.format
        // Stored filters fit the source, even if newer code has stored one that this code does not know (U3).
        const keepsFilters = changes.filters === undefined && source === current.source
        const keepsSchedule = changes.schedule === undefined || isSame(changes.schedule, current.schedule)
        const after: ExportConfigRecord = {
          ...current,
          name: changes.name ?? current.name,
          description: changes.description === undefined ? current.description : changes.description,
          source,
          format,
          // If the format changes, a stored dialect is removed: only CSV has one.
          csv_dialect: dialectOf(
            source,
            format,
            changes.csv_dialect === undefined && format === 'csv' ? current.csv_dialect : changes.csv_dialect,
          ),
          filters: keepsFilters
            ? current.filters
            : filtersOf(source, changes.filters === undefined ? current.filters : changes.filters),
          columns:
            changes.columns === undefined
              ? configuredColumns(source, current.columns)
              : configuredColumns(source, changes.columns),
          ...(!keepsSchedule && { schedule: changes.schedule ?? null, next_run_at }),
        }
        requireOneYear(after)
        if (isSame(after, current)) return { answer: shown(current) }
        return { record: { ...after, version: current.version + 1 }, answer: shown(after) }
      })
    },

    /** Deletes a configuration with its runs. @throws Failure CONFIG_NOT_FOUND, PRECONDITION_FAILED */
    remove: ({ workspace_id }: Actor, id: string, precondition: Precondition<ExportConfig>): Promise<void> =>
      configs.remove(workspace_id, id, (current) => {
        precondition(shown(current))
        return {
          deleted_at: timestamp(clock),
          jobs: [removeRuns.of({ workspace_id, config_id: id, kept: 0 })],
          answer: undefined,
        }
      }),
  }
}

/** A configuration as shown to users. */
export function shown(record: ExportConfigRecord): ExportConfig {
  const { workspace_id: _, version: __, next_run_at: ___, columns, ...config } = record
  return {
    ...config,
    columns: columnsOf(config.source, columns).map(({ field, label }) => ({ field, label })),
  }
}

/** The columns to store, each with its label; null if none are chosen. */
function configuredColumns(
  source: ExportSourceName,
  given: ExportConfigInput['columns'],
): ExportColumn[] | null {
  if (given === null || given === undefined || given.length === 0) return null
  return columnsOf(source, given).map(({ field, label }) => ({ field, label }))
}

/** @throws Failure VALIDATION_ERROR if the dialect does not match format and source */
function dialectOf(
  source: ExportSourceName,
  format: ExportFormat,
  given: CsvDialect | null | undefined,
): CsvDialect | null {
  const faults = dialectFaults({ source, format, csv_dialect: given })
  if (faults.length > 0)
    throw invalid(
      'The dialect does not match format and source.',
      faults.map(({ path, message }) => ({ path: `body.${path}`, message })),
    )
  return format === 'csv' ? (given ?? 'rfc4180') : null
}

/** A batch of bookings for DATEV (X3) belongs to one fiscal year (§ 4a EStG). @throws Failure INVALID_FILTER */
function requireOneYear({ csv_dialect, filters, created_at }: ExportConfigRecord): void {
  if (csv_dialect === 'datev') bookingPeriod(filters, created_at.slice(0, 10))
}

/** Whether two values have the same JSON, ignoring the order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
