import type { TableWriter } from '#exports/ports.ts'
import { shownRow } from '#exports/table-schema.ts'
import { writeTextTable } from './text-table.ts'

/**
 * JSON as specified: `{"data":[…],"meta":{…}}`, rows keyed by field in the order of the columns, null where there is
 * nothing (X3). `meta` is called when all rows are written, with their number; it stands at the end, so what breaks off
 * is no JSON.
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
