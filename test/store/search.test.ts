import { beforeAll, describe, expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { newId } from '#kernel/id.ts'
import type { Cursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { matches, searchTextOf, searchWords } from '#store/fold.ts'
import { type Listed, recordList } from '#store/search.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { transact } from '#store/transact.ts'
import { memoryTable } from '#test/support/memory-table.ts'
import fc from '#test/support/properties.ts'

type Summary = { id: string; name: string }

const workspace = newId('workspace')

/** Cursors that are no secret: what they stand for is the subject here. */
const cursors: Cursors = {
  seal: async (_, position) => position,
  open: async (_, cursor) => cursor,
}

const listed = (id: string, name: string, status = 'active'): Listed => ({
  id,
  summary: { id, name },
  filters: { status },
  texts: [name],
})

/** A searchable list as a store keeps it. */
function listOn(db: Db) {
  const list = recordList(db, cursors, 'test', (one: Listed & { workspace_id: string }) => one)
  const runner = jobRunner(wordsFollowUp(db))
  const change = async (before: Listed | undefined, after: Listed | undefined) => {
    const [was, is] = [before, after].map((one) => one && { ...one, workspace_id: workspace })
    await transact(db, list.changes(was, is))
    for (const job of list.follow(was, is)) await runner.run(job)
  }
  return {
    change,

    /** Adds records of these names, in this order. */
    addAll: async (names: string[], statusOf: (at: number) => string = () => 'active') => {
      for (const [at, name] of names.entries())
        await change(undefined, listed(newId('case'), name, statusOf(at)))
    },

    /** The names that a search finds, page by page, newest first. */
    pages: async (search: string, limit = 50, filters = {}): Promise<string[][]> => {
      const found: string[][] = []
      for (let cursor: string | undefined; ; ) {
        const page = await list.page<Summary>(workspace, { filters, search }, { limit, cursor })
        found.push(page.data.map(({ name }) => name))
        if (page.pagination.cursor === null) return found
        cursor = page.pagination.cursor
      }
    },

    /** The reads of the first page of a search. */
    firstPage: (search: string, limit = 50) =>
      list.page<Summary>(workspace, { filters: {}, search }, { limit }),
  }
}

describe('a search', () => {
  it('finds what any reader of the names would find, in pages, newest first', async () => {
    const { addAll, pages } = listOn(memoryTable().db)
    const parts = [
      'Müller',
      'Mueller',
      'Becker',
      'Yılmaz',
      "O'Brien",
      '12 O 345/26',
      '12O345/26',
      'Miete',
      'GmbH',
      'Kaufpreis',
    ]
    const names = Array.from({ length: 300 }, (_, at) =>
      [parts[at % 10], parts[(at * 7 + 3) % 10], parts[(at * 3 + (at % 4)) % 10]].join(' '),
    )
    await addAll(names)
    const word = fc.constantFrom(
      'müller',
      'uell',
      'beck',
      'yil',
      'o’b',
      '12o345',
      '12 o 345/26',
      'mie',
      'mi',
      'g',
      'preis',
      'hnix',
    )

    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 100 }),
        async (words, limit) => {
          const search = words.join(' ')
          const expected = names
            .filter((name) => matches(searchTextOf([name]), searchWords(search)))
            .toReversed()

          expect((await pages(search, limit)).flat()).toEqual(expected)
        },
      ),
    )
  })

  describe('of words that are frequent and seldom meet', () => {
    const sizes = [1_000, 5_000]
    const firms = sizes.map(() => memoryTable())
    beforeAll(async () => {
      const others = [
        'Becker Kaufpreis',
        'Wagner Kaufpreis',
        'Becker Nachlass',
        'Wagner Nachlass',
        'Vogt Nachlass',
      ]
      for (const [at, size] of sizes.entries()) {
        const names = Array.from({ length: size }, (_, number) => others[number % 5] ?? '')
        names[3] = 'Becker Wagner Nachlass'
        names[size - 20] = 'Becker Wagner'
        await listOn(firms[at]?.db as Db).addAll(names)
      }
    })

    it.each([
      ['becker wagner', 2],
      ['wagner becker', 2],
      ['becker wagner nachlass', 1],
      ['becker wagner kaufpreis', 0],
      ['kaufpreis nachlass', 0],
    ])('like %j reads as little of five thousand names as of a thousand, and finds all %i', async (search, hits) => {
      const firstPages = []
      const walks = []
      for (const { db, given } of firms) {
        Object.assign(given, { queried: 0, fetched: 0 })
        await listOn(db).firstPage(search)
        firstPages.push({ ...given })
        walks.push(await listOn(db).pages(search))
      }

      expect(walks.map((pages) => pages.flat().length)).toEqual([hits, hits])
      expect(firstPages[1]).toEqual(firstPages[0])
      expect(firstPages[0]?.queried).toBeLessThanOrEqual(8 * 16 + 64)
      // The first page looks at eighty entries of the driving term, each later one at a thousand or more.
      expect(walks[1]?.length).toBeLessThanOrEqual(1 + 3)
    })
  })

  it('fills a page where at least every tenth name is wanted', async () => {
    const { addAll, pages } = listOn(memoryTable().db)
    const name = (at: number) => (at % 8 === 0 ? 'Becker Miete' : at % 2 === 0 ? 'Becker Kauf' : 'Vogt Miete')
    await addAll(Array.from({ length: 240 }, (_, at) => name(at)))

    const found = await pages('becker miete', 10)

    expect(found.map((page) => page.length)).toEqual([10, 10, 10])
  })

  it('reads few records without use where a filter excludes most matches', async () => {
    const { db, given } = memoryTable()
    const { addAll, pages } = listOn(db)
    const names = Array.from({ length: 900 }, (_, at) => (at < 400 ? 'Becker' : 'Vogt'))
    await addAll(names, (at) => (at >= 400 || at % 20 === 0 ? 'closed' : 'active'))
    given.fetched = 0

    const found = await pages('becker', 5, { status: 'closed' })

    expect(found.flat()).toHaveLength(20)
    expect(given.fetched / found.length).toBeLessThanOrEqual(3 * (5 + 1))
  })

  it('finds names that are too long to be copied into each entry', async () => {
    const { change, pages } = listOn(memoryTable().db)
    const long = `${'Юридическая контора '.repeat(24)}Москва`.slice(0, 500)
    const [first, second] = [listed(newId('case'), long), listed(newId('case'), long)]
    await change(undefined, first)
    await change(undefined, second)
    await change(second, { ...second, texts: ['Kurz'], summary: { id: second.id, name: 'Kurz' } })

    expect(await pages('контор юридич')).toEqual([[long]])
    expect(await pages('контор мосты')).toEqual([[]])
    expect(await pages('kurz')).toEqual([['Kurz']])
  })

  it('finds a record by its newest name after two renamed it at once, whichever wrote last', async () => {
    const names = ['Becker Kauf', 'Becker Miete', 'Becker Werklohn']
    const [old, middle, newest] = names
      .map((name) => listed(newId('case'), name))
      .map((record) => ({
        ...record,
        id: 'the-same',
      })) as [Listed, Listed, Listed]
    // Somebody renames the record between the reading and the writing of the one who renamed it before.
    let overtake: (() => Promise<void>) | undefined
    const { db } = memoryTable(async (command) => {
      if (command !== 'BatchWriteCommand') return
      const now = overtake
      overtake = undefined
      await now?.()
    })
    const { change, pages } = listOn(db)
    await change(undefined, old)
    overtake = () => change(middle, newest)

    await change(old, middle)

    expect(overtake).toBeUndefined()
    expect(await pages('becker werklohn')).toEqual([['Becker Werklohn']])
    expect(await pages('ker')).toEqual([['Becker Werklohn']])
    expect((await Promise.all([pages('becker miete'), pages('kauf')])).flat()).toEqual([[], []])
  })
})
