import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Reads a table with programs that are not ours. */

/** A cell, its kind and its looks. A date is ISO 8601 without a time zone. */
export type ReadCell = {
  type: 'text' | 'number' | 'boolean' | 'date'
  value: string | number | boolean
  format: string
  bold: boolean
}

/** A sheet; rows by their number, cells by their place (`B2`). */
export type ReadSheet = {
  name: string
  frozen_rows: string | null
  filter: string
  widths: number[]
  tags: string[]
  rows: Record<string, Record<string, ReadCell>>
}

export type ReadWorkbook = { parts: string[]; people: string[]; sheets: ReadSheet[] }

/** Python of Debian, which knows the Debian package `python3-openpyxl`. */
const python = '/usr/bin/python3'

export const hasPython = isThere('python3-openpyxl', python, '-c', 'import openpyxl')
export const hasLibreOffice = isThere('libreoffice-calc-nogui', 'soffice', '--version')

/** The lines of a CSV file, as Python's `csv` reads them. */
export function readCsv(file: Uint8Array, delimiter: string): string[][] {
  return inPython(file, 'csv', delimiter)
}

/** A workbook, as Python's `zipfile` and XML parser read it. */
export function readXlsx(file: Uint8Array): ReadWorkbook {
  return inPython(file, 'xlsx')
}

/** The cells of the first sheet, as openpyxl reads them. */
export function readWithOpenpyxl(file: Uint8Array): (string | number | boolean | null)[][] {
  return inPython(file, 'openpyxl')
}

/**
 * Converts a file with LibreOffice.
 *
 * @param from ending of the file
 * @param filters the formats, as options of LibreOffice's command
 */
export function convertWithLibreOffice(file: Uint8Array, from: string, filters: string[]): Buffer {
  return inFolder((folder) => {
    const path = join(folder, `Tabelle.${from}`)
    writeFileSync(path, file)
    const target = join(folder, 'converted')
    const profile = pathToFileURL(join(folder, 'profile')).href
    run('soffice', [`-env:UserInstallation=${profile}`, '--headless', ...filters, '--outdir', target, path])
    const [converted = 'nothing'] = readdirSync(target)
    return readFileSync(join(target, converted))
  })
}

function inPython<Result>(file: Uint8Array, reader: string, ...options: string[]): Result {
  return inFolder((folder) => {
    const path = join(folder, 'table')
    writeFileSync(path, file)
    return JSON.parse(
      run(python, [fileURLToPath(new URL('read-table.py', import.meta.url)), reader, path, ...options]),
    )
  })
}

function inFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-tables-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(program: string, options: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, options, {
    encoding: 'utf8',
    maxBuffer: 1_000_000_000,
  })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
  return stdout
}

/**
 * Whether a program is on this machine. Where `CI` is set it must be.
 *
 * @throws Error if it is missing in CI
 */
function isThere(debianPackage: string, program: string, ...options: string[]): boolean {
  if (spawnSync(program, options).status === 0) return true
  const advice = `apt-get install -y ${debianPackage}`
  if (process.env.CI) throw new Error(`A program that reads tables is missing: ${advice}`)
  console.warn(`SKIPPED: tests in which another program reads a table: ${advice}`)
  return false
}
