/** The part of exceljs that writes a file as a stream. The package's own types cover only its main entry point. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { Readable, Writable } from 'node:stream'
  import type { CellRichTextValue, Style, WorksheetView } from 'exceljs'

  export type SheetWriter = {
    columns: { width: number }[]
    autoFilter: string
    addRow(values: never[]): SheetRow
    commit(): void
  }

  export type SheetRow = {
    getCell(column: number): { value: string | number | boolean | CellRichTextValue; style: Partial<Style> }
    style: Partial<Style>
    commit(): void
  }

  /** The part of a stream that the writer of a sheet uses. */
  export type SheetStream = {
    write(xml: string | { toBuffer(): Buffer }): void
    end(): void
    pause(): void
  }

  export default class WorkbookWriter {
    constructor(options: {
      stream: Writable
      useStyles: boolean
      useSharedStrings: boolean
      creator: string
      lastModifiedBy: string
    })
    protected zip: {
      append(source: Readable, entry: { name: string }): void
      on(event: 'error', listener: (error: Error) => void): void
    }
    protected _openStream(path: string): SheetStream
    addWorksheet(name: string, options: { views: Partial<WorksheetView>[] }): SheetWriter
    commit(): Promise<unknown>
  }
}
