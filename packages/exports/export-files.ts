import type { DatevSettings } from '#billing/firm-schema.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import type { BookableInvoices, BookingWriter } from './booking-ports.ts'
import type { ExportConfigRecord } from './config-ports.ts'
import { type ExportWorkspaces, exportQuery } from './export-query.ts'
import { exportFilename } from './filename.ts'
import type { RowSources, TableWriter } from './ports.ts'
import type { ExportFile, RunTimes } from './run-ports.ts'
import { selectionDigest } from './selection-schema.ts'

/** The writers of all formats. */
export type ExportWriters = {
  json: (meta: (rowCount: number) => Record<string, unknown>) => TableWriter
  csv: Record<'rfc4180' | 'excel-de', TableWriter>
  xlsx: TableWriter
  datev: BookingWriter
}

export type ExportFileDeps = {
  workspaces: ExportWorkspaces<{ time_zone: string; datev: DatevSettings }>
  rows: RowSources
  bookableInvoices: BookableInvoices
  writers: ExportWriters
}

/** The media types of exports, without parameters (X3). */
export const exportTypes = {
  json: 'application/json',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** Makes the file of a configuration at a given time. Execution, retrieval and scheduled runs use it. */
export type MakeFile = ReturnType<typeof exportFiles>

/**
 * Returns the function that makes files. It reads the source only when the bytes of the file are read.
 *
 * @throws Failure DATEV_SETTINGS_MISSING with the missing or invalid settings; INVALID_FILTER for bookings of several
 *   years
 */
export function exportFiles({ workspaces, rows, bookableInvoices, writers }: ExportFileDeps) {
  return async (config: ExportConfigRecord, now: Date, times?: RunTimes): Promise<ExportFile> => {
    const { workspace, columns, query, period } = await exportQuery(workspaces, config, now, times)
    const { id: config_id, format, csv_dialect } = config
    let rowCount = 0
    const options = {
      time_zone: workspace.time_zone,
      onRow: () => {
        rowCount += 1
      },
    }
    const file = (mime_type: string, bytes: AsyncIterable<Uint8Array>): ExportFile => ({
      filename: exportFilename(config.name, format, csv_dialect),
      mime_type,
      selection_sha256: selectionDigest(config),
      bytes,
      rowCount: () => rowCount,
    })

    if (period !== undefined) {
      const { datev: settings } = workspace
      const missing = writers.datev.missingSettings(settings)
      if (missing.length > 0) throw settingsMissing(missing)
      const batch = { settings, period, createdAt: now }
      const bytes = writers.datev.write(batch, bookableInvoices(query), options)
      return file(`${exportTypes.csv}; charset=windows-1252`, bytes)
    }

    const table = rows[config.source](query)
    if (format === 'xlsx') return file(exportTypes.xlsx, writers.xlsx(columns, table, options))
    if (format === 'csv') {
      const write = writers.csv[csv_dialect === 'excel-de' ? 'excel-de' : 'rfc4180']
      return file(`${exportTypes.csv}; charset=utf-8`, write(columns, table, options))
    }
    const write = writers.json((row_count) => ({ config_id, executed_at: now.toISOString(), row_count }))
    return file(`${exportTypes.json}; charset=utf-8`, write(columns, table, options))
  }
}

function settingsMissing(details: { path: string; message: string }[]): Failure {
  const names = details.map(({ path }) => path).join(', ')
  return conflict(
    'DATEV_SETTINGS_MISSING',
    `DATEV settings of the workspace are missing or invalid: ${names}. Set them with PATCH /api/v1/workspace.`,
    { details },
  )
}
