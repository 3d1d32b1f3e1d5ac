import type { TableWriter } from '#exports/ports.ts'

/**
 * A workbook for Excel (X3). It has a bold header that stays visible, a filter over all columns, and real numbers,
 * booleans, dates and times (in the workspace's time zone). It has no formulas, links or macros. If a sheet is full,
 * the rows continue in another sheet with the same header.
 *
 * Numbers in Excel have at most 15 digits, so a longer number is written as text. So are days before 1 March 1900,
 * about which programs disagree, and days after the year 9999, which Excel does not have.
 */
export const xlsxTable: TableWriter = xlsxTableOf({ rowsPerSheet: 1_048_575 })

/** Like `xlsxTable`, with another maximum number of rows in a sheet, not counting the header. */
export function xlsxTableOf({ rowsPerSheet }: { rowsPerSheet: number }): TableWriter {
  return async function* (columns, rows, { time_zone, onRow }) {
    // Loaded only for XLSX: half a megabyte, and 0.1 seconds of CPU time.
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
