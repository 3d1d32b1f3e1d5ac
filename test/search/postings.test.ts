import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPostings, postingsWriter, somePosting } from '#search/postings.ts'

function aDatabase(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  onTestFinished(() => db.close())
  createPostings(db)
  return db
}

/** The rows of a term with their weights; undefined if the term has no postings. */
function postingsOf(db: DatabaseSync, term: string): [row: number, weight: number][] | undefined {
  const found: [number, number][] = []
  for (const { rows } of db.prepare('SELECT rows FROM postings WHERE term = ? ORDER BY last').all(term))
    if (rows instanceof Uint8Array)
      somePosting(rows, (row, weight) => {
        found.push([row, weight])
        return false
      })
  return found.length === 0 ? undefined : found
}

const none = new Set<number>()

describe('the postings of a term', () => {
  it('have every row with the number of its occurrences; one in a title counts four times', async () => {
    const db = aDatabase()
    const writer = postingsWriter(db)
    writer.add(1, 'klag frist klag ', 'klag ')
    writer.add(2, 'frist ', '')
    writer.add(300_000, `${'frist '.repeat(200)}`, '')
    await writer.end(none)

    expect(postingsOf(db, 'klag')).toEqual([[1, 6]])
    expect(postingsOf(db, 'frist')).toEqual([
      [1, 1],
      [2, 1],
      [300_000, 200],
    ])
    expect(postingsOf(db, 'fris')).toBeUndefined()
  })

  it('are extended by the next writer, even if lists are written before the end', async () => {
    const db = aDatabase()
    for (const first of [1, 5]) {
      const writer = postingsWriter(db)
      for (let row = first; row < first + 4; row += 1) {
        const others = Array.from({ length: 20_000 }, (_, at) => `x${row}y${at} `)
        writer.add(row, `frist ${others.join('')}`, '')
      }
      await writer.end(none)
    }

    expect(postingsOf(db, 'frist')).toEqual(Array.from({ length: 8 }, (_, at) => [at + 1, 1]))
    expect(postingsOf(db, 'x8y19999')).toEqual([[8, 1]])
  })

  it('lose the rows of removed records, and are deleted without rows', async () => {
    const db = aDatabase()
    const base = postingsWriter(db)
    const others = Array.from({ length: 600 }, (_, at) => `a${at} `)
    base.add(1, `frist geheim ${others.join('')}`, '')
    base.add(2, 'frist frist ', '')
    await base.end(none)
    const merged = postingsWriter(db)
    merged.add(3, 'frist ', '')
    await merged.end(new Set([1]))

    expect(postingsOf(db, 'geheim')).toBeUndefined()
    expect(postingsOf(db, 'frist')).toEqual([
      [2, 2],
      [3, 1],
    ])
  })

  it('are split for a term in many rows: writers extend the last, and rows are removed from all', async () => {
    const db = aDatabase()
    const count = 12_000
    for (let first = 1; first <= count; first += 3_000) {
      const writer = postingsWriter(db)
      for (let row = first; row < first + 3_000; row += 1)
        writer.add(row, row % 3 === 0 ? 'frist frist ' : 'frist ', '')
      await writer.end(none)
    }
    const all = Array.from({ length: count }, (_, at): [number, number] => [at + 1, at % 3 === 2 ? 2 : 1])
    expect(postingsOf(db, 'frist')).toEqual(all)
    const lists = db.prepare('SELECT length(rows) AS bytes FROM postings').all()
    expect(lists.length).toBeGreaterThan(3)
    expect(lists.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBeLessThan(count / 4)

    const removed = new Set(all.map(([row]) => row).filter((row) => row < 5_000 || row === count))
    await postingsWriter(db).end(removed)
    const writer = postingsWriter(db)
    writer.add(count + 5, 'frist ', '')
    await writer.end(none)
    expect(postingsOf(db, 'frist')).toEqual([...all.filter(([row]) => !removed.has(row)), [count + 5, 1]])
  })
})
