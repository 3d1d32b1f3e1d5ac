import { PassThrough } from 'node:stream'
import type { SheetStream, SheetWriter } from 'exceljs/lib/stream/xlsx/workbook-writer.js'
import WorkbookWriter from 'exceljs/lib/stream/xlsx/workbook-writer.js'
import type { Column, Row } from '#exports/table-schema.ts'
import { headerCell, type XlsxCell, xlsxCell } from './xlsx-cells.ts'

/** An XLSX file whose bytes are read while rows are added. */
export type XlsxFile = {
  add: (row: Row) => void
  /** Whether too many bytes wait for compression: then call `makeRoom` before the next row. */
  isFull: () => boolean
  /** Yields compressed bytes until there is room for further rows. */
  makeRoom: () => AsyncGenerator<Uint8Array>
  /** Yields the rest. Only this makes the file complete. */
  finish: () => AsyncGenerator<Uint8Array>
  /** Frees all resources, also if the file is not complete. */
  close: () => void
}

export type XlsxOptions = { timeZone: string; rowsPerSheet: number }

/**
 * Opens an XLSX file. exceljs compresses rows asynchronously and buffers without limit. So the caller must call
 * `isFull` after each row, and `makeRoom` if it is full. Then the waiting bytes are limited (`maxWaitingBytes`), even
 * if the reader is slow.
 */
export function openXlsxFile(columns: readonly Column[], { timeZone, rowsPerSheet }: XlsxOptions): XlsxFile {
  const output = new PassThrough({ highWaterMark: maxWaitingBytes })
  const workbook = new BoundedWorkbook(output)
  let sheet: SheetWriter | undefined
  let sheetCount = 0
  let rowsInSheet = 0
  const { signal: notify, next: nextChange } = notifier()
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure = error
    notify()
  }
  workbook.onError(fail)
  output.on('readable', notify).on('end', notify)

  const openSheet = () => {
    sheetCount += 1
    rowsInSheet = 0
    const opened = workbook.addWorksheet(sheetCount === 1 ? 'Export' : `Export ${sheetCount}`, {
      views: [{ state: 'frozen', ySplit: 1 }],
    })
    workbook.waiting?.on('drain', notify)
    opened.columns = columns.map((column) => ({ width: widthOf(column) }))
    addCells(
      opened,
      columns.map(({ label }) => headerCell(label)),
    )
    return opened
  }

  const closeSheet = () => {
    if (sheet === undefined) return
    if (columns.length > 0) sheet.autoFilter = `A1:${columnLetters(columns.length)}${rowsInSheet + 1}`
    sheet.commit()
    sheet = undefined
  }

  /** Yields compressed bytes while the condition is true. */
  async function* compressedWhile(isNeeded: () => boolean): AsyncGenerator<Uint8Array> {
    while (isNeeded()) {
      if (failure !== undefined) throw failure
      const chunk: Uint8Array | null = output.read()
      if (chunk !== null) yield chunk
      else if (isNeeded()) await nextChange()
    }
  }

  return {
    add: (row) => {
      if (rowsInSheet === rowsPerSheet) closeSheet()
      sheet ??= openSheet()
      addCells(
        sheet,
        columns.map(({ field, type }) => xlsxCell(row[field], type, timeZone)),
      )
      rowsInSheet += 1
    },
    isFull: () => workbook.isFull(),
    makeRoom: () => compressedWhile(workbook.isFull),
    finish: async function* () {
      if (sheetCount === 0) sheet = openSheet()
      closeSheet()
      workbook.commit().catch(fail)
      yield* compressedWhile(() => !output.readableEnded)
    },
    close: () => {
      workbook.waiting?.end()
      // The waiting bytes are compressed and discarded; then zlib frees its memory.
      output.off('readable', notify).resume()
    },
  }
}

/** The maximum number of bytes that wait for compression (plus one row), and that wait for the reader. */
const maxWaitingBytes = 65_536

/** A workbook of exceljs that also reports how many bytes of a sheet wait for compression. */
class BoundedWorkbook extends WorkbookWriter {
  /** The XML of the current sheet on its way to the archive. */
  waiting: PassThrough | undefined

  constructor(output: PassThrough) {
    super({
      stream: output,
      useStyles: true,
      useSharedStrings: false,
      creator: 'Aktenlage',
      lastModifiedBy: 'Aktenlage',
    })
  }

  onError(listener: (error: Error) => void): void {
    this.zip.on('error', listener)
  }

  isFull = (): boolean => (this.waiting?.writableLength ?? 0) > maxWaitingBytes

  /** Replaces the stream of exceljs, which has no limit and does not report how much it holds. */
  protected override _openStream(path: string): SheetStream {
    const waiting = new PassThrough()
    this.waiting = waiting
    this.zip.append(waiting, { name: path })
    let xml = ''
    const flush = () => {
      if (xml !== '') waiting.write(xml)
      xml = ''
    }
    return {
      write: (part) => {
        xml += typeof part === 'string' ? part : part.toBuffer().toString('utf8')
        if (xml.length >= charactersAtOnce) flush()
      },
      end: () => {
        flush()
        waiting.end()
      },
      pause: () => {},
    }
  }
}

const charactersAtOnce = 16_384

function addCells(sheet: SheetWriter, cells: readonly (XlsxCell | undefined)[]): void {
  const row = sheet.addRow([])
  for (const [at, cell] of cells.entries()) {
    if (cell === undefined) continue
    const target = row.getCell(at + 1)
    target.value = cell.value
    target.style = cell.style
  }
  row.style = noStyle
  row.commit()
}

/** One object for all rows, because exceljs finds the style of a known object faster. */
const noStyle = {}

/** Wide enough for the values of the type, and for the label beside the filter button. */
function widthOf({ label, type }: Column): number {
  const widths = { text: 28, number: 12, decimal: 12, amount: 14, boolean: 10, date: 12, timestamp: 20 }
  return Math.min(60, Math.max(widths[type], label.length + 4))
}

/** 1 is `A`, 27 is `AA`. */
function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + ((column - 1) % 26))
  return column <= 26 ? last : columnLetters(Math.floor((column - 1) / 26)) + last
}

/** `next` resolves at the next call of `signal`. Callers check the state before they wait, so they miss nothing. */
function notifier(): { signal: () => void; next: () => Promise<void> } {
  let wake: (() => void) | undefined
  return {
    signal: () => wake?.(),
    next: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}
