import type { TableWriter } from '#exports/ports.ts'

/**
 * A workbook for Excel (X3). It has a bold header that stays visible, a filter over all columns, and real numbers,
 * booleans, dates and times (in the workspace's time zone). It has no formulas, links or macros. If there are more rows
 * than a sheet can hold, they continue in further sheets, each with the header.
 *
 * Excel numbers have 15 digits: longer ones are written as text. So are days before 1 March 1900 or after 9999, because
 * programs disagree about them.
 */
export const xlsxTable: TableWriter = xlsxTableOf({ rowsPerSheet: 1_048_575 })

/** The same with another number of rows in a sheet, not counting the header. */
export function xlsxTableOf({ rowsPerSheet }: { rowsPerSheet: number }): TableWriter {
  return async function* (columns, rows, { time_zone, onRow }) {
    // Half a megabyte, a tenth of a second of CPU: loaded only if XLSX is written.
    const { openXlsxFile } = await import('./xlsx-file.ts')
    const file = openXlsxFile(columns, { timeZone: time_zone, rowsPerSheet })
    try {
      for await (const batch of rows) {
        for (const row of batch) {
          file.add(row)
          onRow?.()
          if (file.isFull()) yield* file.makeRoom()
        }
      }
      yield* file.finish()
    } finally {
      file.close()
    }
  }
}
