import * as z from 'zod'

/** The sources of exports (X1). */
export const exportSources = [
  'invoices',
  'time_entries',
  'cases',
  'parties',
  'documents',
  'deadlines',
] as const

export type ExportSourceName = (typeof exportSources)[number]

/**
 * The content of a field's cells:
 *
 * - `text` any text;
 * - `number` a whole number, as a number;
 * - `decimal` a decimal as a string (`"1.5"`), `amount` an amount in euros with two decimals (`"-12.50"`);
 * - `boolean`;
 * - `date` a day (`2026-11-20`), `timestamp` a time in UTC with milliseconds (`2026-11-20T09:00:00.000Z`).
 */
export const fieldTypes = ['text', 'number', 'decimal', 'amount', 'boolean', 'date', 'timestamp'] as const

export const FieldType = z.enum(fieldTypes)

export type FieldType = z.infer<typeof FieldType>

/** A cell; null if it is empty. */
export type Cell = string | number | boolean | null

/** A row, by field. */
export type Row = Record<string, Cell>

/** A column of a table: its field and its label. */
export type Column = { field: string; label: string; type: FieldType }

/** The cells of a row for these columns, in their order; null if empty. JSON and previews use this form. */
export function shownRow(row: Row, columns: readonly Column[]): Row {
  const cells: Row = {}
  for (const { field } of columns) cells[field] = row[field] ?? null
  return cells
}
