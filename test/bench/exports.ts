import { join } from 'node:path'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import type { TableOrder, TableResult } from './exports-process.ts'
import { forkModule } from './fork-module.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import type { BenchSetup } from './setup.ts'

const rowCount = 100_000
const smallCount = 100
const minShareOfExceljs = 0.7
const maxMegabytes = 60

/** How fast tables are written, against the libraries alone, and how much memory that takes at any number of rows. */
export async function measureTables(setup: BenchSetup, rounds: number): Promise<Part> {
  const module = await bundle('test/bench/exports-process.ts', join(setup.folder, 'exports-process.mjs'))
  const { nodeOptions = '' } = manifest.find(({ name }) => name === 'exports-files') ?? {}
  const environment = { ...setup.environment, NODE_OPTIONS: nodeOptions }
  const run = async (order: TableOrder) => {
    const { result, stop } = await forkModule<TableResult>(module, environment, order)
    await stop()
    return result
  }
  const rows: Row[] = []
  const targets: Target[] = []
  const pairs = [
    ['XLSX', 'exceljs alone'],
    ['CSV rfc4180', 'csv-stringify alone'],
    ['CSV excel-de', 'csv-stringify alone'],
    ['JSON', undefined],
  ] as const
  for (const [writer, library] of pairs) {
    const ours: TableResult[] = []
    const small: TableResult[] = []
    const alone: TableResult[] = []
    for (let turn = 0; turn < rounds; turn += 1) {
      ours.push(await run({ writer, rowCount }))
      small.push(await run({ writer, rowCount: smallCount }))
      if (library !== undefined) alone.push(await run({ writer: library, rowCount }))
    }
    const speed = (results: TableResult[]) => median(results.map(({ rowsPerSecond }) => rowsPerSecond))
    const peak = (results: TableResult[]) => median(results.map(({ peakMegabytes }) => peakMegabytes))
    const shares = alone.map(({ rowsPerSecond }, turn) => (ours[turn]?.rowsPerSecond ?? 0) / rowsPerSecond)
    const growth = Math.max(...ours.map(({ peakMegabytes }) => peakMegabytes)) - peak(small)
    rows.push({
      format: writer,
      'rows/s': round(speed(ours)),
      'CPU s': round(median(ours.map(({ cpuMilliseconds }) => cpuMilliseconds)) / 1_000),
      'file MB': round((ours[0]?.bytes ?? 0) / 1_000_000),
      [`peak MiB, ${smallCount} rows`]: round(peak(small)),
      [`peak MiB, ${rowCount} rows`]: round(peak(ours)),
      against: library ?? '',
      'its rows/s': library === undefined ? '' : round(speed(alone)),
      share: library === undefined ? '' : round(median(shares)),
    })
    targets.push({
      name: `memory of ${rowCount} rows as ${writer} above that of ${smallCount}`,
      measured: growth,
      unit: 'MiB',
      max: maxMegabytes,
    })
    if (writer === 'XLSX')
      targets.push({
        name: 'speed of XLSX against exceljs alone, fed from memory',
        measured: median(shares),
        unit: '',
        min: minShareOfExceljs,
      })
  }
  return {
    title: `Exports: writing ${rowCount} rows of 12 columns`,
    method: `The bundled writers in processes of their own with the options of the functions that write exports, ${rounds} of each by turns, the rows made as they are asked for; the libraries alone get theirs ready in memory, and exceljs writes the same formats of cells. Memory is resident, the peak after a small table.`,
    rows,
    targets,
  }
}
