import { type Options, stringify } from 'csv-stringify/sync'
import type { TableWriter } from '#exports/ports.ts'
import type { Cell, FieldType } from '#exports/table-schema.ts'
import { beginsFormula } from '#kernel/formula.ts'
import { cellValue, germanDay, germanMoment, isDecimal, withinExcelCell } from './cell-values.ts'
import { writeTextTable } from './text-table.ts'

export type CsvDialect = 'rfc4180' | 'excel-de'

/**
 * CSV by RFC 4180 in UTF-8: CRLF, a header of labels, quotes if they are needed (X3).
 *
 * - `rfc4180`: cells as in JSON.
 * - `excel-de`: `;`, a byte order mark, decimal comma, `dd.mm.yyyy` and `dd.mm.yyyy hh:mm:ss` in the workspace's time
 *   zone, `ja` and `nein`. Cells have at most 32 767 characters, because Excel splits a longer one over several rows.
 *
 * Text that begins like a formula (`beginsFormula`) gets a leading `'`, so that no program runs it. A negative number
 * in a numeric column does not. NUL becomes U+FFFD, because many readers end the text at NUL.
 */
export const csvTables: Record<CsvDialect, TableWriter> = {
  rfc4180: csvTable({ byteOrderMark: '', delimiter: ',', write: plainCell }),
  'excel-de': csvTable({ byteOrderMark: '\uFEFF', delimiter: ';', write: germanCell }),
}

type Dialect = {
  byteOrderMark: string
  delimiter: string
  write: (cell: Cell | undefined, type: FieldType, timeZone: string) => string
}

function csvTable({ byteOrderMark, delimiter, write }: Dialect): TableWriter {
  return (columns, rows, options) => {
    const format: Options = {
      delimiter,
      record_delimiter: '\r\n',
      // Quotes a text with a line feed or a carriage return alone, too.
      quote_record_delimiter: true,
      // Otherwise a row with one empty cell would be an empty line, which readers skip.
      quoted_empty: columns.length === 1,
    }
    const header = columns.map(({ label }) => write(label, 'text', options.time_zone))
    return writeTextTable(
      {
        head: byteOrderMark + stringify([header], format),
        body: (some) => {
          const cells = some.map((row) =>
            columns.map(({ field, type }) => write(row[field], type, options.time_zone)),
          )
          return stringify(cells, format)
        },
        foot: () => '',
      },
      rows,
      options,
    )
  }
}

function plainCell(cell: Cell | undefined, type: FieldType): string {
  if (cell === null || cell === undefined) return ''
  const text = String(cell)
  return isDecimal(text, type) ? text : harmless(text)
}

function germanCell(cell: Cell | undefined, type: FieldType, timeZone: string): string {
  const value = cellValue(cell, type, timeZone)
  switch (value.is) {
    case 'nothing':
      return ''
    case 'text':
      return withinExcelCell(harmless(value.text))
    case 'decimal':
      return value.digits.replace('.', ',')
    case 'boolean':
      return value.value ? 'ja' : 'nein'
    case 'day':
      return germanDay(value.date)
    case 'moment':
      return germanMoment(value.date)
  }
}

/** The text in a form that no program runs as a formula, and without NUL. */
function harmless(text: string): string {
  return (beginsFormula(text) ? `'${text}` : text).replaceAll('\0', '\uFFFD')
}
