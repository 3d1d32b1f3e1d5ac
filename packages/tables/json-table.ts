import type { TableWriter } from '#exports/ports.ts'
import { shownRow } from '#exports/table-schema.ts'
import { writeTextTable } from './text-table.ts'

/**
 * JSON as specified: `{"data":[…],"meta":{…}}`, rows keyed by field in the order of the columns, null for an empty cell
 * (X3). `meta` is called with the number of rows when all are written. It is at the end, so a file that breaks off is
 * not valid JSON.
 */
export function jsonTable(meta: (rowCount: number) => Record<string, unknown>): TableWriter {
  return (columns, rows, options) =>
    writeTextTable(
      {
        head: '{"data":[',
        body: (some, rowsBefore) => {
          const text = some.map((row) => JSON.stringify(shownRow(row, columns))).join(',\n')
          return `${rowsBefore === 0 ? '\n' : ',\n'}${text}`
        },
        foot: (rowCount) => `],"meta":${JSON.stringify(meta(rowCount))}}\n`,
      },
      rows,
      options,
    )
}
