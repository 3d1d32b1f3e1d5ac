import { exportFiles } from '#exports/export-files.ts'
import { datevExport } from '#invoicing/datev-export.ts'
import { csvTables } from '#tables/csv-table.ts'
import { jsonTable } from '#tables/json-table.ts'
import { xlsxTable } from '#tables/xlsx-table.ts'
import type { exportsFoundation } from './exports.ts'

/** Makes the files of exports, for functions that return or store them. Other functions load no writer. */
export function fileMaker({ workspaces, rows, bookableInvoices }: ReturnType<typeof exportsFoundation>) {
  return exportFiles({
    workspaces,
    rows,
    bookableInvoices,
    writers: { json: jsonTable, csv: csvTables, xlsx: xlsxTable, datev: datevExport },
  })
}
