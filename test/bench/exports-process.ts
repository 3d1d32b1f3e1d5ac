import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { SheetWriter } from 'exceljs/lib/stream/xlsx/workbook-writer.js'
import WorkbookWriter from 'exceljs/lib/stream/xlsx/workbook-writer.js'
import type { TableWriter } from '#exports/ports.ts'
import type { Column, Row } from '#exports/table-schema.ts'
import { csvTables } from '#tables/csv-table.ts'
import { jsonTable } from '#tables/json-table.ts'
import { xlsxTable } from '#tables/xlsx-table.ts'

/**
 * Writes a table of invoices, with our writers or with a library alone, and reports the CPU time and memory of the
 * process.
 */
export type TableOrder = { writer: string; rowCount: number }

export type TableResult = {
  rowsPerSecond: number
  cpuMilliseconds: number
  /** Before the rows, with the libraries loaded and a small table written. */
  idleMegabytes: number
  peakMegabytes: number
  bytes: number
}

const columns: Column[] = [
  { field: 'number', label: 'Nummer', type: 'text' },
  { field: 'status', label: 'Status', type: 'text' },
  { field: 'invoice_date', label: 'Rechnungsdatum', type: 'date' },
  { field: 'due_date', label: 'Fällig am', type: 'date' },
  { field: 'file_number', label: 'Aktenzeichen', type: 'text' },
  { field: 'party_name', label: 'Mandant', type: 'text' },
  { field: 'net', label: 'Netto', type: 'amount' },
  { field: 'tax', label: 'Steuer', type: 'amount' },
  { field: 'gross', label: 'Brutto', type: 'amount' },
  { field: 'paid', label: 'Bezahlt', type: 'boolean' },
  { field: 'minutes', label: 'Minuten', type: 'number' },
  { field: 'created_at', label: 'Angelegt', type: 'timestamp' },
]

const writers: Record<string, TableWriter> = {
  JSON: jsonTable((rowCount) => ({ row_count: rowCount })),
  'CSV rfc4180': csvTables.rfc4180,
  'CSV excel-de': csvTables['excel-de'],
  XLSX: xlsxTable,
}

const [order]: TableOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There was nothing to measure.')
const { writer: name, rowCount } = order
const writer = writers[name]
const measured =
  writer === undefined
    ? await prepared(name, rowCount)
    : (count: number) => sizeOf(writer(columns, batches(count), { time_zone: 'Europe/Berlin' }))

await measured(100)
const idleMegabytes = residentMegabytes('VmRSS')
// Linux counts the peak anew.
writeFileSync('/proc/self/clear_refs', '5')
const cpu = process.cpuUsage()
const startedAt = performance.now()
const bytes = await measured(rowCount)
const seconds = (performance.now() - startedAt) / 1_000
const { user, system } = process.cpuUsage(cpu)
const result: TableResult = {
  rowsPerSecond: rowCount / seconds,
  cpuMilliseconds: (user + system) / 1_000,
  idleMegabytes,
  peakMegabytes: residentMegabytes('VmHWM'),
  bytes,
}
process.send?.(result, () => process.exit(0))

/** A library alone, which writes rows that are in memory. */
async function prepared(library: string, count: number): Promise<(count: number) => Promise<number>> {
  const rows: Row[] = []
  for await (const batch of batches(count)) rows.push(...batch)
  if (library === 'csv-stringify alone') return async (wanted) => csvAlone(rows.slice(0, wanted))
  const typed = rows.map((row) => columns.map(({ field, type }) => typedCell(row[field] ?? null, type)))
  return (wanted) => exceljsAlone(typed.slice(0, wanted))
}

/** In pieces, as its readers get it. */
function csvAlone(rows: readonly Row[]): number {
  let bytes = 0
  for (let at = 0; at < rows.length; at += 100)
    bytes += Buffer.from(
      stringify(rows.slice(at, at + 100), { columns: columns.map(({ field }) => field) }),
    ).length
  return bytes
}

type TypedCell = string | number | boolean | Date | null

function typedCell(cell: Row[string] | null, type: Column['type']): TypedCell {
  if (type === 'date' || type === 'timestamp') return new Date(String(cell))
  return type === 'amount' ? Number(cell) : (cell ?? null)
}

/** As the documentation of exceljs writes a file as a stream, with the same formats of cells. */
async function exceljsAlone(rows: readonly TypedCell[][]): Promise<number> {
  let bytes = 0
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      bytes += chunk.length
      done()
    },
  })
  const formats: Partial<Record<Column['type'], string>> = {
    amount: '#,##0.00',
    date: 'dd.mm.yyyy',
    timestamp: 'dd.mm.yyyy hh:mm:ss',
  }
  const workbook = new WorkbookWriter({
    ...{ stream, useStyles: true, useSharedStrings: false, creator: 'Bench', lastModifiedBy: 'Bench' },
  })
  const sheet = workbook.addWorksheet('Export', { views: [] }) as SheetWriter & DocumentedSheet
  sheet.columns = columns.map(({ label, type }) => {
    const numFmt = formats[type]
    return { header: label, width: 20, ...(numFmt === undefined ? {} : { style: { numFmt } }) }
  })
  for (const row of rows) sheet.addRow(row).commit()
  await workbook.commit()
  return bytes
}

type DocumentedSheet = { addRow: (row: TypedCell[]) => { commit: () => void } }

async function sizeOf(file: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const piece of file) bytes += piece.length
  return bytes
}

async function* batches(count: number): AsyncGenerator<Row[]> {
  for (let at = 0; at < count; at += 250)
    yield Array.from({ length: Math.min(250, count - at) }, (_, index) => invoice(at + index))
}

function invoice(at: number): Row {
  const two = (number: number) => String(number).padStart(2, '0')
  return {
    number: `R-2026-${String(at).padStart(6, '0')}`,
    status: ['issued', 'paid', 'cancelled'][at % 3] ?? null,
    invoice_date: `2026-${two(1 + (at % 12))}-${two(1 + (at % 28))}`,
    due_date: `2026-${two(1 + ((at + 1) % 12))}-${two(1 + (at % 28))}`,
    file_number: `${String(at % 10_000).padStart(4, '0')}/26`,
    party_name: `Müller & Söhne GmbH ${at}`,
    net: `${at}.50`,
    tax: `${at % 1_000}.19`,
    gross: `${at + 7}.69`,
    paid: at % 2 === 0,
    minutes: at % 1_440,
    created_at: new Date(1_780_000_000_000 + at * 61_007).toISOString(),
  }
}

function residentMegabytes(which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${which}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
