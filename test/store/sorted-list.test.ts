import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import {
  type Entry,
  mergeSources,
  type Order,
  type Range,
  type Source,
  sortedList,
} from '#store/sorted-list.ts'
import { transact } from '#store/transact.ts'
import { memoryTable } from '#test/support/memory-table.ts'
import fc from '#test/support/properties.ts'
import { sharedTable } from '#test/support/table.ts'

type Data = { text: string }

let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

/** A time of one digit and an id of one letter: places of which many are equal in their first part. */
const place = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...'abcdef'))
const limitOfTime = fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined })
const placeOf = ([time, id]: [number, string]) => `${time}#${id}`

describe('a sorted list', () => {
  it.each<Order>([
    'ascending',
    'descending',
  ])('gives the entries of a range after a place, %s', async (order) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(place, { selector: placeOf, maxLength: 12 }),
        fc.option(place, { nil: undefined }),
        fc.record({ from: limitOfTime, until: limitOfTime }),
        fc.integer({ min: 1, max: 15 }),
        async (places, after, times, limit) => {
          const workspace = newId('workspace')
          const list = sortedList<Data>(db, 'test', order)
          const stored = places.map(placeOf)
          await list.write(
            workspace,
            stored.map((one) => ({ term: 'all', place: one, data: { text: one } })),
            [],
          )
          const { from, until } = times
          const range: Range = { from: from?.toString(), until: until?.toString() }
          // No place is as long as a limit, and ':' comes after all digits.
          if (until === 10) range.until = ':'
          if (from === 10) range.from = ':'

          const read = await list.read(workspace, 'all', { ...range, after: after && placeOf(after) }, limit)

          const isAfter = (one: string) =>
            after === undefined || (order === 'ascending' ? one > placeOf(after) : one < placeOf(after))
          const expected = stored
            .toSorted()
            .filter(
              (one) =>
                (range.from === undefined || one >= range.from) &&
                (range.until === undefined || one < range.until),
            )
            .filter(isAfter)
          if (order === 'descending') expected.reverse()
          expect(read.entries.map((entry) => entry.place)).toEqual(expected.slice(0, limit))
          expect(read.entries.every(({ place: one, data }) => data.text === one)).toBe(true)
          if (expected.length < limit) expect(read.ended).toBe(true)
          if (expected.length > limit) expect(read.ended).toBe(false)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is after each change what the record is, under terms that come, stay and go and at places that move', async () => {
    const entry: fc.Arbitrary<Entry<Data>> = fc.record({
      term: fc.constantFrom('open', 'closed', 'mine'),
      place: fc.constantFrom('1#a', '2#a'),
      data: fc.record({ text: fc.constantFrom('x', 'y') }),
    })
    const state = fc.uniqueArray(entry, { selector: ({ term, place: one }) => `${term} ${one}` })
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 4 }), async (states) => {
        const workspace = newId('workspace')
        const list = sortedList<Data>(db, 'test', 'ascending')
        let before: Entry<Data>[] = []
        for (const after of states) {
          await transact(db, list.changes(workspace, before, after))
          before = after
        }

        for (const term of ['open', 'closed', 'mine']) {
          const { entries } = await list.read(workspace, term, {}, 10)
          const expected = before
            .filter((one) => one.term === term)
            .map(({ place: one, data }) => ({ place: one, data }))
          expect(entries).toEqual(expected.toSorted((one, other) => (one.place < other.place ? -1 : 1)))
        }
      }),
      { numRuns: 30 },
    )
  })

  it('writes nothing for entries that stay as they are', () => {
    const list = sortedList<Data>(db, 'test', 'ascending')
    const [here, there] = [
      { term: 'open', place: '1#a', data: { text: 'x' } },
      { term: 'mine', place: '1#a', data: { text: 'x' } },
    ]

    expect(list.changes('ws', [here, there], [there, here])).toEqual([])
    expect(list.changes('ws', [here, there], [here, { ...there, data: { text: 'y' } }])).toHaveLength(1)
  })

  it('reads past a megabyte, which one Query does not', async () => {
    const workspace = newId('workspace')
    const list = sortedList<Data>(db, 'test', 'descending')
    const places = Array.from({ length: 12 }, (_, at) => `${at + 10}#a`)
    const large = 'x'.repeat(200_000)
    for (const one of places)
      await list.write(workspace, [{ term: 'all', place: one, data: { text: large } }], [])

    const { entries, ended } = await list.read(workspace, 'all', {}, 100)

    expect([entries.map((entry) => entry.place), ended]).toEqual([places.toReversed(), true])
  })

  it('takes terms of any length, and keeps long ones apart', async () => {
    const workspace = newId('workspace')
    const list = sortedList<Data>(db, 'test', 'ascending')
    const terms = ['', 'x', 'y'].map((end) => `${'한'.repeat(700)}${end}`)
    const [one = '', other = ''] = terms
    const entries = [one, other].map((term) => ({ term, place: '1#a', data: { text: term } }))
    await transact(db, list.changes(workspace, [], entries))
    await list.write(workspace, [{ term: other, place: '2#a', data: { text: 'written' } }], [])
    await transact(db, list.changes(workspace, entries, entries.slice(1)))
    // Act
    const reads = await Promise.all(terms.map((term) => list.read(workspace, term, {}, 10)))
    const at = await list.at(workspace, other, ['1#a'])
    // Assess
    expect(reads.map(({ entries: found }) => found.map(({ data }) => data.text))).toEqual([
      [],
      [other, 'written'],
      [],
    ])
    expect(at.get('1#a')).toEqual({ text: other })
  })

  it('keeps workspaces, lists and terms apart', async () => {
    const [workspace, other] = [newId('workspace'), newId('workspace')]
    const list = sortedList<Data>(db, 'test', 'ascending')
    await list.write(workspace, [{ term: 'open', place: '1#a', data: { text: 'x' } }], [])

    const reads = await Promise.all([
      list.read(workspace, 'open', {}, 10),
      list.read(workspace, 'ope', {}, 10),
      list.read(other, 'open', {}, 10),
      sortedList<Data>(db, 'tests', 'ascending').read(workspace, 'open', {}, 10),
    ])

    expect(reads.map(({ entries }) => entries.length)).toEqual([1, 0, 0, 0])
    expect((await list.at(workspace, 'open', ['1#a', '2#a'])).size).toBe(1)
  })
})

describe('sorted lists merged', () => {
  it('give every item once and in order, however early each of them stops looking', async () => {
    const items = fc
      .uniqueArray(place, { selector: placeOf, maxLength: 12 })
      .map((places) => places.map(placeOf).toSorted())
    // How many places a source looks at for one page, and whether it holds what another holds as well.
    const sources = fc.array(fc.tuple(items, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(sources, fc.integer({ min: 1, max: 6 }), async (lists, limit) => {
        const asSource =
          ([places, look]: [string[], number]): Source<{ id: string }> =>
          async (after, limit) => {
            const rest = places.filter((one) => after === undefined || one > after)
            const seen = rest.slice(0, look)
            const found = seen.slice(0, limit)
            const upTo = found.length < rest.length ? found.at(-1) : undefined
            return { items: found.map((one) => ({ place: one, item: { id: one } })), upTo }
          }
        const walked: string[] = []
        for (let after: string | undefined, pages = 0; pages < 200; pages += 1) {
          const { items: page, next } = await mergeSources(lists.map(asSource), after, limit)
          walked.push(...page.map(({ id }) => id))
          expect(page.length).toBeLessThanOrEqual(limit)
          if (next === undefined) break
          after = next
        }

        expect(walked).toEqual([...new Set(lists.flatMap(([places]) => places))].toSorted())
      }),
    )
  })

  it('of a term narrowed by a condition that nothing meets stop after a thousand entries', async () => {
    const { db: memory, given } = memoryTable()
    const list = sortedList<Data>(memory, 'test', 'ascending')
    const entries = Array.from({ length: 2_500 }, (_, at) => ({
      term: 'all',
      place: String(at).padStart(5, '0'),
      data: { text: at === 2_400 ? 'wanted' : 'other' },
    }))
    await list.write('ws', entries, [])
    const source = list.source('ws', 'all', {}, ({ place: id, data }) =>
      data.text === 'wanted' ? { id } : undefined,
    )
    const pages: string[][] = []
    const reads: number[] = []
    for (let after: string | undefined; ; ) {
      given.queried = 0
      const { items, next } = await mergeSources([source], after, 50)
      pages.push(items.map(({ id }) => id))
      reads.push(given.queried)
      if (next === undefined) break
      after = next
    }

    expect(pages.flat()).toEqual(['02400'])
    expect(Math.max(...reads)).toBeLessThanOrEqual(1_050)
  })

  it('of a term of which few entries are wanted take few Queries, and give each wanted one once', async () => {
    let queries = 0
    const { db: memory } = memoryTable(async (command) => {
      if (command === 'QueryCommand') queries += 1
    })
    const list = sortedList<Data>(memory, 'test', 'ascending')
    const places = Array.from({ length: 700 }, (_, at) => String(at).padStart(5, '0'))
    const wanted = ['00003', '00004', '00350', '00351', '00352', '00699']
    await list.write(
      'ws',
      places.map((one) => ({ term: 'all', place: one, data: { text: one } })),
      [],
    )
    const source = list.source('ws', 'all', {}, ({ place: id }) => (wanted.includes(id) ? { id } : undefined))
    const walked: string[] = []
    const taken: number[] = []
    for (let after: string | undefined; ; ) {
      queries = 0
      const { items, next } = await mergeSources([source], after, 1)
      walked.push(...items.map(({ id }) => id))
      taken.push(queries)
      if (next === undefined) break
      after = next
    }

    expect(walked).toEqual(wanted)
    expect(Math.max(...taken)).toBeLessThanOrEqual(9)
  })
})
