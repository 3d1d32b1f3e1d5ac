import type { CalendarDate } from '#german-time/calendar-date.ts'
import type { Column, ExportSourceName, Row } from './table-schema.ts'

/**
 * The checked filters of a source (X1): days are inclusive, ids are canonical, values belong to the source. A missing
 * filter has no effect.
 */
export type SourceFilters = {
  date_from?: CalendarDate
  date_to?: CalendarDate
  status?: string
  type?: string
  dezernat?: string
  case_id?: string
  party_id?: string
  user_id?: string
  folder_id?: string
  billable?: boolean
}

/** The requested rows of a workspace. */
export type SourceQuery = {
  workspace_id: string
  /** The day of a timestamp, such as the creation, is its day in this time zone. */
  time_zone: string
  filters: SourceFilters
  /** The requested fields. Data that only other fields need is not read; a row may have more fields. */
  fields: ReadonlySet<string>
  /** The moment of the export, for fields that depend on the current time. */
  now: Date
}

/**
 * The rows of a source, in batches of at most some hundreds, ordered by their date, then id (X3). A row that exists
 * during the whole export and keeps its date occurs exactly once; a row that is added or changed meanwhile occurs at
 * most once. Memory does not grow with their number. If the reader stops early, the reading ends.
 *
 * @throws Failure 503 if the table cannot be read
 */
export type RowSource = (query: SourceQuery) => AsyncIterable<Row[]>

export type RowSources = Record<ExportSourceName, RowSource>

/** Options for writing a table. */
export type TableOptions = {
  /** Formats that do not show times in UTC use this time zone. */
  time_zone: string
  /** Counts rows as they are written. */
  onRow?: () => void
}

/**
 * Writes a table as a file while the rows arrive. It takes further batches only while little of its output waits for
 * the reader, so memory does not grow with the number of rows, however slow the reader is. If reading rows fails, the
 * iteration throws before the end of the file is written.
 */
export type TableWriter = (
  columns: readonly Column[],
  rows: AsyncIterable<Row[]>,
  options: TableOptions,
) => AsyncIterable<Uint8Array>
