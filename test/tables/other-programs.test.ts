import { describe, expect, it } from 'vitest'
import type { Row } from '#exports/table-schema.ts'
import { csvTables } from '#tables/csv-table.ts'
import { jsonTable } from '#tables/json-table.ts'
import { xlsxTable } from '#tables/xlsx-table.ts'
import {
  convertWithLibreOffice,
  hasLibreOffice,
  hasPython,
  readCsv,
  readWithOpenpyxl,
} from './other-programs.ts'
import { columnsOfAllTypes, written } from './tables.ts'

/** The same rows in every format, read by programs of others (X3). */

const texts = [
  ...['Müller ./. Größe', '=1+1', '+49 89 1234', '-5', '@x', '\tTab', '00123', '1E5', '1,5', '01.02.2026'],
  ...[
    'a "b" \'c\'',
    'zwei\nZeilen',
    'a;b,c\td',
    '😀 漢字',
    ' mit Rand ',
    '_x0041_',
    '<b>&amp;',
    'wahr',
    '12:30',
  ],
]

const rows: Row[] = texts.map((text, at) => ({
  text,
  number: at - 2,
  decimal: `${at - 2}.5`,
  amount: `-${at * 1_000}.05`,
  boolean: at % 2 === 0,
  date: `2026-${String(1 + (at % 12)).padStart(2, '0')}-28`,
  timestamp: new Date(Date.UTC(2026, 2, 29, at, 30, 15)).toISOString(),
}))
rows.push({ text: 'Nur Text' }, { text: 'Sommerzeit', timestamp: '2026-07-01T22:00:00.000Z' })

/** The rows of the JSON file. The tests derive from them what the other programs must read. */
async function rowsInJson(): Promise<Row[]> {
  const file = await written(
    jsonTable(() => ({})),
    columnsOfAllTypes,
    rows,
  )
  return JSON.parse(file.toString()).data
}

const labels = columnsOfAllTypes.map(({ label }) => label)

/** A text as CSV has it. */
const inCsv = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** The local time in Berlin, as ISO 8601 without a time zone; Intl knows it independently of our code. */
function inBerlin(moment: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Berlin',
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return format.format(new Date(moment)).replace(' ', 'T')
}

/** A row as a spreadsheet shows it: dates in ISO 8601, nothing as null. */
function inSpreadsheet(row: Row): Row[string][] {
  const { text, number, decimal, amount, boolean, date, timestamp } = row
  return [
    text ?? null,
    number ?? null,
    decimal == null ? null : Number(decimal),
    amount == null ? null : Number(amount),
    boolean ?? null,
    date == null ? null : `${date}T00:00:00`,
    timestamp == null ? null : inBerlin(String(timestamp)),
  ]
}

const shown = (cell: Row[string] | undefined) => String(cell ?? '')

describe('the rows of an export are the same in every format', () => {
  it.runIf(hasPython)('Python’s csv reads the same cells from CSV by RFC 4180 as JSON has', async () => {
    const read = readCsv(await written(csvTables.rfc4180, columnsOfAllTypes, rows), ',')

    expect(read).toEqual([
      labels,
      ...(await rowsInJson()).map(({ text, ...others }) => [
        inCsv(String(text)),
        ...columnsOfAllTypes.slice(1).map(({ field }) => shown(others[field])),
      ]),
    ])
  })

  it.runIf(hasPython)('openpyxl reads them from XLSX', async () => {
    const [header, ...read] = readWithOpenpyxl(await written(xlsxTable, columnsOfAllTypes, rows))

    expect(header).toEqual(labels)
    expect(read.map(([text, ...others]) => [unescaped(text), ...others])).toEqual(
      (await rowsInJson()).map(inSpreadsheet),
    )
  })

  it.runIf(hasLibreOffice && hasPython)('LibreOffice converts them from XLSX to CSV', async () => {
    const file = await written(xlsxTable, columnsOfAllTypes, rows)
    // Comma, quotes, UTF-8; cells as they are shown.
    const csv = convertWithLibreOffice(file, 'xlsx', [
      ...['--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true'],
    ])
    const german = (iso: string) =>
      iso.replace(/^(\d+)-(\d+)-(\d+)(?:T(.*))?$/, (_, year, month, day, time) =>
        [`${day}.${month}.${year}`, time].filter(Boolean).join(' '),
      )
    const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 })

    expect(readCsv(csv, ',')).toEqual([
      labels,
      ...(await rowsInJson()).map((row) => [
        shown(row.text),
        shown(row.number),
        ...[row.decimal, row.amount].map((cell) => (cell == null ? '' : amount.format(Number(cell)))),
        row.boolean == null ? '' : row.boolean ? 'TRUE' : 'FALSE',
        german(shown(row.date)),
        row.timestamp == null ? '' : german(inBerlin(shown(row.timestamp))),
      ]),
    ])
  })

  it.runIf(hasLibreOffice && hasPython)(
    'LibreOffice with German settings reads the same rows from CSV for German Excel',
    async () => {
      const file = await written(csvTables['excel-de'], columnsOfAllTypes, rows)
      // Semicolon, quotes, UTF-8; German, and what looks like a number or a date is one, as in Excel.
      const xlsx = convertWithLibreOffice(file, 'csv', [
        '--infilter=CSV:59,34,76,1,,1031,false,true',
        ...['--convert-to', 'xlsx'],
      ])
      const [header, ...read] = readWithOpenpyxl(xlsx)

      expect(header).toEqual(labels)
      expect(read.map(([, ...others]) => others)).toEqual(
        (await rowsInJson()).map((row) => {
          const [, number, decimal, amount, boolean, ...others] = inSpreadsheet(row)
          const yes = boolean == null ? null : boolean ? 'ja' : 'nein'
          return [number, decimal, amount, yes, ...others]
        }),
      )
      // openpyxl gives a formula as text that begins with `=`.
      expect(read.map(([text]) => String(text)).filter((text) => text.startsWith('='))).toEqual([])
      expect(read[1]?.[0]).toBe("'=1+1")
    },
  )
})

/** openpyxl leaves the escapes of a text as they are in the file. */
function unescaped(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell
  return cell.replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
