import type { TableWriter } from '#exports/ports.ts'
import type { Column, FieldType, Row } from '#exports/table-schema.ts'

/** Helpers that the tests of tables share. */

export const berlin = { time_zone: 'Europe/Berlin' }

/** One column of each type, named for it. */
export const columnsOfAllTypes: Column[] = (
  ['text', 'number', 'decimal', 'amount', 'boolean', 'date', 'timestamp'] satisfies FieldType[]
).map((type) => ({ field: type, label: `Feld ${type}`, type }))

/** Columns of one type. */
export function columnsOf(type: FieldType, ...fields: string[]): Column[] {
  return fields.map((field) => ({ field, label: field, type }))
}

/**
 * An iterable of batches. It counts the batches that were read (`taken`), and records whether the reader closed it
 * (`closed`).
 */
export function batchesOf(
  batches: readonly Row[][],
): AsyncIterable<Row[]> & { taken: number; closed: boolean } {
  const state = {
    taken: 0,
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (const batch of batches) {
          state.taken += 1
          yield batch
        }
      } finally {
        state.closed = true
      }
    },
  }
  return state
}

/** The whole file. */
export async function written(
  writer: TableWriter,
  columns: readonly Column[],
  ...batches: Row[][]
): Promise<Buffer> {
  return collected(writer(columns, batchesOf(batches), berlin))
}

export async function collected(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file) pieces.push(piece)
  return Buffer.concat(pieces)
}
