import type { TableOptions } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'

/** The parts of a table that is written as text. */
export type TextTable = {
  head: string
  /** The text of some rows. `rowsBefore`: the number of rows written before. */
  body: (rows: readonly Row[], rowsBefore: number) => string
  foot: (rowCount: number) => string
}

/**
 * Writes a table as UTF-8 text, some rows at a time. The head is written together with the first rows, so that no byte
 * is written before the first read has succeeded. The next batch is read when the reader has taken all of the last one.
 */
export async function* writeTextTable(
  { head, body, foot }: TextTable,
  rows: AsyncIterable<Row[]>,
  { onRow }: TableOptions,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let start = head
  let rowCount = 0
  for await (const batch of rows) {
    for (let at = 0; at < batch.length; at += rowsAtOnce) {
      const some = batch.slice(at, at + rowsAtOnce)
      const text = start + body(some, rowCount)
      start = ''
      rowCount += some.length
      for (const _ of some) onRow?.()
      yield encoder.encode(text)
    }
  }
  const end = start + foot(rowCount)
  if (end !== '') yield encoder.encode(end)
}

/** The number of rows that become one string. It is small, because rows may have long texts. */
const rowsAtOnce = 100
