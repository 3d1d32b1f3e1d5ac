import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { TableWriter } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { csvTables } from '#tables/csv-table.ts'
import { jsonTable } from '#tables/json-table.ts'
import { xlsxTable, xlsxTableOf } from '#tables/xlsx-table.ts'
import { batchesOf, berlin, collected, columnsOf, written } from './tables.ts'

/**
 * The table writers are streams: they read rows as their output is taken. If reading fails, the file stays incomplete.
 */

const writers: [string, TableWriter][] = [
  ['json', jsonTable((rowCount) => ({ row_count: rowCount }))],
  ['csv rfc4180', csvTables.rfc4180],
  ['csv excel-de', csvTables['excel-de']],
  ['xlsx', xlsxTable],
]

const columns = columnsOf('text', 'first', 'second')

/** 400 kilobytes that zlib cannot make much smaller. */
function bulkyBatch(): Row[] {
  const text = () => randomBytes(1_500).toString('base64')
  return Array.from({ length: 100 }, () => ({ first: text(), second: text() }))
}

const bulky = bulkyBatch()

describe.each(writers)('%s', (_name, writer) => {
  it('reads no row before the reader starts', async () => {
    const rows = batchesOf([bulky])
    writer(columns, rows, berlin)
    await sleep(20)

    expect(rows.taken).toBe(0)
  })

  it('reads only a few batches for a reader that stops after the first piece', async () => {
    const rows = batchesOf(Array.from({ length: 500 }, () => bulky))
    const file = writer(columns, rows, berlin)[Symbol.asyncIterator]()
    await file.next()
    await sleep(200)

    expect(rows.taken).toBeGreaterThan(0)
    expect(rows.taken).toBeLessThan(6)
    await file.return?.()
  })

  it('reads ahead only a fixed number of rows for a slow reader', async () => {
    const rows = batchesOf(Array.from({ length: 60 }, () => bulky))
    const ahead: number[] = []
    let bytes = 0
    for await (const piece of writer(columns, rows, berlin)) {
      bytes += piece.length
      // A batch becomes at least 300 kB in every format.
      ahead.push(rows.taken - bytes / 300_000)
      if (ahead.length % 20 === 0) await sleep(1)
    }

    expect(rows.taken).toBe(60)
    expect(Math.max(...ahead)).toBeLessThan(6)
  })

  it('closes the source of the rows if the reader leaves', async () => {
    const rows = batchesOf(Array.from({ length: 500 }, () => bulky))
    for await (const _ of writer(columns, rows, berlin)) break

    expect(rows.closed).toBe(true)
    expect(rows.taken).toBeLessThan(6)
  })

  it('throws a failure of the first read before it yields any byte', async () => {
    async function* failing(): AsyncGenerator<Row[]> {
      yield* []
      throw new Error('The table cannot be read.')
    }
    const file = writer(columns, failing(), berlin)[Symbol.asyncIterator]()

    await expect(file.next()).rejects.toThrow('The table cannot be read.')
  })

  it('does not finish the file after a failure in the middle', async () => {
    async function* failing(): AsyncGenerator<Row[]> {
      yield bulky
      yield bulky
      throw new Error('The table cannot be read.')
    }
    const pieces: Uint8Array[] = []
    const reading = (async () => {
      for await (const piece of writer(columns, failing(), berlin)) pieces.push(piece)
    })()

    await expect(reading).rejects.toThrow('The table cannot be read.')
    const file = Buffer.concat(pieces)
    // JSON ends with `meta`, a ZIP file with its directory.
    expect(file.includes('"meta"')).toBe(false)
    expect(file.includes('PK\x05\x06', 0, 'latin1')).toBe(false)
    expect(file.includes('PK\x01\x02', 0, 'latin1')).toBe(false)
  })

  it('counts every row once when it is written', async () => {
    let rowCount = 0
    const options = { ...berlin, onRow: () => (rowCount += 1) }
    const row = { first: 'a', second: 'b' }
    await collected(writer(columns, batchesOf([[row, row], [], [row]]), options))

    expect(rowCount).toBe(3)
  })

  it('writes a file for empty batches and without any rows', async () => {
    const files = await Promise.all([written(writer, columns), written(writer, columns, [], [])])

    expect(files.map(({ length }) => length)).toEqual([files[0]?.length, files[0]?.length])
    expect(files[0]?.length).toBeGreaterThan(5)
  })
})

describe('an XLSX file', () => {
  it('that ends in the middle of a further sheet cannot be opened', async () => {
    async function* failing(): AsyncGenerator<Row[]> {
      yield bulky
      throw new Error('The table cannot be read.')
    }
    const pieces: Uint8Array[] = []
    const reading = (async () => {
      for await (const piece of xlsxTableOf({ rowsPerSheet: 30 })(columns, failing(), berlin))
        pieces.push(piece)
    })()

    await expect(reading).rejects.toThrow('The table cannot be read.')
    expect(Buffer.concat(pieces).includes('PK\x01\x02', 0, 'latin1')).toBe(false)
  })

  it('frees its memory and throws no late error if its reader stops at any point, or reading its rows fails', async () => {
    const late: unknown[] = []
    const note = (error: unknown) => late.push(error)
    process.on('unhandledRejection', note).on('uncaughtException', note)
    const writer = xlsxTableOf({ rowsPerSheet: 250 })
    const leave = async (afterPieces: number) => {
      let taken = 0
      for await (const _ of writer(columns, batchesOf([bulky, bulky, bulky]), berlin)) {
        taken += 1
        if (taken > afterPieces) break
      }
    }
    const fail = async () => {
      async function* failing(): AsyncGenerator<Row[]> {
        yield bulky
        throw new Error('The table cannot be read.')
      }
      await expect(collected(writer(columns, failing(), berlin))).rejects.toThrow()
    }
    await Promise.all([leave(0), leave(5), fail()])
    const before = await heldBytes()
    for (let turn = 0; turn < 15; turn += 1) await Promise.all([leave(0), leave(turn), leave(1_000), fail()])
    const after = await heldBytes()
    process.off('unhandledRejection', note).off('uncaughtException', note)

    expect(late).toEqual([])
    // 60 files; each had at least 100 kilobytes in its streams, and zlib a quarter of a megabyte.
    expect(after - before).toBeLessThan(5_000_000)
  })
})

/** The memory of the process when nothing more can be collected. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  for (let turn = 0; turn < 5; turn += 1) {
    await sleep(50)
    collectGarbage()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
