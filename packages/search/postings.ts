import type { DatabaseSync } from 'node:sqlite'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { regularYield } from './regular-yield.ts'

/**
 * The postings of a term: the rows in which it occurs, each with a weight. The weight is the number of occurrences; an
 * occurrence in a title counts several times. FTS5 has postings too, but takes a hundred times as long to list them.
 *
 * Encoding: for each row, the difference to the previous row (or to 0), doubled, plus 1 if its weight follows; a
 * missing weight is 1. Numbers have seven bits per byte, lowest first; the eighth bit says that another byte follows. A
 * term in many rows has several postings, each stored under its last row. Full ones are compressed and begin with a
 * byte 0.
 */
export type Postings = Uint8Array

export function createPostings(db: DatabaseSync): void {
  db.exec(
    'CREATE TABLE postings (term TEXT, last INTEGER, rows BLOB NOT NULL, PRIMARY KEY (term, last)) WITHOUT ROWID',
  )
}

/** Calls `test` for each row until it returns true. @returns whether it has returned true */
export function somePosting(postings: Postings, test: (row: number, weight: number) => boolean): boolean {
  const bytes = postings[0] === 0 ? inflateRawSync(postings.subarray(1)) : postings
  let at = 0
  const next = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0
      at += 1
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  for (let row = 0; at < bytes.length; ) {
    const head = next()
    row += head >>> 1
    if (test(row, (head & 1) === 1 ? next() : 1)) return true
  }
  return false
}

/** An occurrence in a title counts like four in the text. */
export const titleWeight = 4

/** When the lists in memory have more bytes, they are written. Each list counts `bytesPerList` in addition. */
const maxKeptBytes = 1_000_000
const bytesPerList = 20

/** Postings of this size are full: later rows are added to new ones. */
const fullBytes = 2_000

/** How many postings are read at a time when rows are removed from them. */
const postingsAtOnce = 500

/** Rows that are not written yet. `continued`: the last row of the stored postings to which this list is appended. */
type List = { continued?: number; last: number; bytes: number[] }

/** Writes the postings of records. The rows must ascend. */
export function postingsWriter(db: DatabaseSync) {
  const find = db.prepare(
    "SELECT last, substr(rows, 1, 1) = x'00' AS is_full FROM postings WHERE term = ? ORDER BY last DESC LIMIT 1",
  )
  const get = db.prepare('SELECT rows FROM postings WHERE term = ? AND last = ?')
  const insert = db.prepare('INSERT INTO postings VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE postings SET last = ?, rows = ? WHERE term = ? AND last = ?')
  const lists = new Map<string, List>()
  let keptBytes = 0

  const listOf = (term: string): List => {
    const present = lists.get(term)
    if (present !== undefined) return present
    const written = find.get(term)
    const continued = written?.is_full === 0 ? Number(written.last) : undefined
    const list: List = { ...(continued !== undefined && { continued }), last: continued ?? 0, bytes: [] }
    // Copies the term, because a slice keeps the whole string in memory. V8 copies short slices itself.
    lists.set(term.length < 13 ? term : Buffer.from(term).toString(), list)
    keptBytes += bytesPerList
    return list
  }

  const write = (term: string, { continued, last, bytes }: List): void => {
    if (continued === undefined) insert.run(term, last, packed(bytes))
    else {
      const { rows } = get.get(term, continued) ?? {}
      update.run(last, packed([...(rows instanceof Uint8Array ? rows : []), ...bytes]), term, continued)
    }
    lists.delete(term)
    keptBytes -= bytesPerList + bytes.length
  }

  const flush = (): void => {
    for (const [term, list] of [...lists].sort(([one], [other]) => (one < other ? -1 : 1))) write(term, list)
  }

  return {
    add(row: number, body: string, titles: string): void {
      const weights = new Map<string, number>()
      countTerms(body, 1, weights)
      countTerms(titles, titleWeight, weights)
      for (const [term, weight] of weights) {
        const list = listOf(term)
        const before = list.bytes.length
        append(list, row, weight)
        keptBytes += list.bytes.length - before
        if (list.bytes.length >= fullBytes) write(term, list)
      }
      if (keptBytes > maxKeptBytes) flush()
    },

    /** Writes what is left in memory, and removes these rows from all postings. */
    async end(removed: ReadonlySet<number>): Promise<void> {
      flush()
      if (removed.size === 0) return
      const some = db.prepare(
        'SELECT term, last, rows FROM postings WHERE (term, last) > (?, ?) ORDER BY term, last LIMIT ?',
      )
      const remove = db.prepare('DELETE FROM postings WHERE term = ? AND last = ?')
      const yieldIfDue = regularYield()
      for (let found = some.all('', 0, postingsAtOnce); found.length > 0; ) {
        for (const { term = null, last = null, rows } of found) {
          if (!(rows instanceof Uint8Array) || !somePosting(rows, (row) => removed.has(row))) continue
          const left = without(rows, removed)
          if (left.bytes.length === 0) remove.run(term, last)
          else update.run(left.last, packed(left.bytes), term, last)
        }
        const { term = null, last = null } = found.at(-1) ?? {}
        found = some.all(term, last, postingsAtOnce)
        await yieldIfDue()
      }
    },
  }
}

function packed(bytes: number[]): Postings {
  const plain = Buffer.from(bytes)
  return bytes.length < fullBytes ? plain : Buffer.concat([Buffer.of(0), deflateRawSync(plain)])
}

function without(postings: Postings, removed: ReadonlySet<number>): List {
  const list: List = { last: 0, bytes: [] }
  somePosting(postings, (row, weight) => {
    if (!removed.has(row)) append(list, row, weight)
    return false
  })
  return list
}

function append(list: List, row: number, weight: number): void {
  appendNumber(list.bytes, (row - list.last) * 2 + (weight === 1 ? 0 : 1))
  if (weight !== 1) appendNumber(list.bytes, weight)
  list.last = row
}

function appendNumber(bytes: number[], number: number): void {
  let rest = number
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
}

/** Adds the weights of the terms of an analysed text, in which spaces separate terms. */
function countTerms(text: string, weight: number, weights: Map<string, number>): void {
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start)
    const end = space === -1 ? text.length : space
    if (end > start) {
      const term = text.slice(start, end)
      weights.set(term, (weights.get(term) ?? 0) + weight)
    }
    start = end + 1
  }
}
