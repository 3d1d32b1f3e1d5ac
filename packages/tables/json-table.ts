import type { TableWriter } from '#exports/ports.ts'
import { shownRow } from '#exports/table-schema.ts'
import { writeTextTable } from './text-table.ts'

/**
 * JSON as specified (X3): `{"data":[…],"meta":{…}}`. A row has the fields of the columns in their order, with null for
 * an empty cell. After the last row, the function `meta` is called with the number of rows. `meta` is at the end, so an
 * incomplete file is not valid JSON.
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
