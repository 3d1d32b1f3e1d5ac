import * as z from 'zod'
import { defineJob, type Job } from '#jobs/job.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { readAll, writeAll } from './batch.ts'
import type { Cursors } from './cursor.ts'
import type { Db } from './db.ts'
import { listEntry } from './entities/list-entry.ts'
import { fold, matches, type SearchWord, searchWords, termsOf, termsToFind } from './fold.ts'
import type { Outbox } from './outbox.ts'
import { type Action, erase, put } from './transact.ts'

/** A record as its list knows it. */
export type Listed = {
  /** Sorts by age: newer records have greater ids. */
  id: string
  /** What the list shows. */
  card: Record<string, unknown>
  /** What the list can be narrowed by; a value of null is under no filter. */
  filters: Record<string, string | null>
  /** What the record is found by. */
  texts: string[]
}

/** Which records are wanted: those with all these filter values, and all words of the search. */
export type Wanted = { filters: Record<string, string | undefined>; search?: string | undefined }

/** How many reads one page may cost before it is given out unfilled, with a cursor to go on. */
const mostReads = 40

/**
 * A list of records, newest first, that can be narrowed by filters and searched by substring at a cost that
 * depends on the page, not on how many records there are.
 *
 * It is an inverted index: every record is filed under terms (`all`, one per filter value, one per fragment of
 * its words), each term's ids in one partition, ordered. A page is read from the terms that are asked for by
 * leaping: the term whose next id is oldest says where the others go on. The entries of `all` and of the
 * filters are written in the transaction of the record (`entries`), the fragments right after it by a job that
 * is recorded in that transaction (`follow`). A fragment of words that a record no longer has is harmless:
 * what is found is compared with the record's own words.
 */
export function searchIndex(db: Db, cursors: Cursors, list: string) {
  const entry = listEntry(db)
  const key = (workspaceId: string, term: string, id: string) => ({
    workspace_id: workspaceId,
    list,
    term,
    id,
  })

  /** The candidates with card and text, which those found by fragments alone lack. */
  const complete = async (workspaceId: string, candidates: Entry[]): Promise<Entry[]> => {
    const bare = candidates.filter((candidate) => candidate.text === undefined)
    if (bare.length === 0) return candidates
    const items = await readAll(
      db,
      bare.map((candidate) => entry.get(key(workspaceId, 'all', candidate.id))),
    )
    const full = new Map<string, Entry>()
    for (const item of items) {
      const { data } = entry.parse({ Item: item })
      if (data) full.set(data.id, data)
    }
    return candidates.map((candidate) => full.get(candidate.id) ?? candidate)
  }

  /** Up to `limit` cards that stand under all terms and match all words, from `start` on; and where to go on. */
  const leap = async <Card>(
    workspaceId: string,
    terms: string[],
    words: SearchWord[],
    start: Bound | undefined,
    limit: number,
  ) => {
    const budget = { reads: mostReads }
    const readers = terms.map((term) =>
      termReader(terms.length === 1 ? limit + 1 : Math.max(25, limit + 1), async (bound, size) => {
        budget.reads -= 1
        const query = entry.query.newest({ workspace_id: workspaceId, list, term })
        const below =
          bound === undefined
            ? query
            : bound.inclusive
              ? query.lte({ id: bound.id })
              : query.lt({ id: bound.id })
        const { data } = await below.go({ order: 'desc', limit: size, consistent: true })
        return data
      }),
    )
    const cards: Card[] = []
    let shownUpTo = start
    let bound = start
    while (true) {
      const candidates: Entry[] = []
      let stop: 'ended' | 'paused' | undefined
      while (stop === undefined && candidates.length < limit + 1 - cards.length) {
        const next = await nextCommon(readers, bound, budget)
        bound = next.bound
        if (next.entry === undefined) stop = next.ended ? 'ended' : 'paused'
        else candidates.push(next.entry)
      }
      if (candidates.some((candidate) => candidate.text === undefined)) budget.reads -= 1
      for (const candidate of await complete(workspaceId, candidates)) {
        if (candidate.text !== undefined && matches(candidate.text, words)) {
          if (cards.length === limit) return { cards, next: shownUpTo }
          cards.push(candidate.card as Card)
        }
        shownUpTo = { id: candidate.id, inclusive: false }
      }
      if (stop === 'ended') return { cards, next: undefined }
      if (stop === 'paused' || budget.reads <= 0) return { cards, next: bound }
    }
  }

  return {
    /** The writes, for the record's own transaction, that bring the list from `before` to `after`. */
    entries(workspaceId: string, before: Listed | undefined, after: Listed | undefined): Action[] {
      if (JSON.stringify(before) === JSON.stringify(after)) return []
      const kept = after === undefined ? [] : listTerms(after)
      const gone = before === undefined ? [] : listTerms(before).filter((term) => !kept.includes(term))
      return [
        ...gone.map((term) => erase(entry.delete(key(workspaceId, term, before?.id ?? '')))),
        ...kept.map((term) =>
          put(
            entry.put({
              ...key(workspaceId, term, after?.id ?? ''),
              card: after?.card,
              text: folded(after?.texts ?? []),
            }),
          ),
        ),
      ]
    },

    /** The job that follows a change of what a record is found by. */
    follow(workspaceId: string, before: Listed | undefined, after: Listed | undefined): Job[] {
      const id = after?.id ?? before?.id ?? ''
      const text = folded(before?.texts ?? [])
      if (text === folded(after?.texts ?? [])) return []
      return [fragmentsJob.of({ workspace_id: workspaceId, list, id, before: text })]
    },

    /** A page of cards, newest first (G7, C3). A page may hold fewer than asked for and still not be the last. */
    async page<Card>(workspaceId: string, wanted: Wanted, request: PageRequest): Promise<Page<Card>> {
      const words = searchWords(wanted.search ?? '')
      const filters = Object.entries(wanted.filters).filter(
        (filter): filter is [string, string] => filter[1] !== undefined,
      )
      const binding = [workspaceId, list, filters, words]
      const start =
        request.cursor === undefined ? undefined : readBound(await cursors.open(binding, request.cursor))

      const terms = new Set([
        ...filters.map(([name, value]) => filterTerm(name, value)),
        ...words.flatMap(termsToFind),
      ])
      const { cards, next } = await leap<Card>(
        workspaceId,
        terms.size > 0 ? [...terms] : ['all'],
        words,
        start,
        request.limit,
      )
      const cursor = next === undefined ? null : await cursors.seal(binding, writeBound(next))
      return { data: cards, pagination: { cursor, has_more: cursor !== null } }
    },
  }
}

type Entry = { id: string; card?: unknown; text?: string | undefined }

/** Only ids older than this one, or this one itself too, are still of interest. */
type Bound = { id: string; inclusive: boolean }

function writeBound(bound: Bound): string {
  return (bound.inclusive ? '=' : '<') + bound.id
}

function readBound(position: string): Bound {
  return { id: position.slice(1), inclusive: position.startsWith('=') }
}

type TermReader = {
  newestWithin: (bound: Bound | undefined) => Promise<Entry | undefined>
  mustRead: (bound: Bound | undefined) => boolean
}

/** Reads one term's entries in pages of `size` and gives the newest within a bound. */
function termReader(
  size: number,
  read: (bound: Bound | undefined, size: number) => Promise<Entry[]>,
): TermReader {
  let buffer: Entry[] = []
  let exhausted = false
  const within = (bound: Bound | undefined) => (entry: Entry) =>
    bound === undefined || entry.id < bound.id || (bound.inclusive && entry.id === bound.id)
  return {
    mustRead: (bound) => !exhausted && !buffer.some(within(bound)),
    newestWithin: async (bound) => {
      const at = buffer.findIndex(within(bound))
      buffer = at < 0 ? [] : buffer.slice(at)
      if (buffer.length === 0 && !exhausted) {
        buffer = await read(bound, size)
        exhausted = buffer.length < size
      }
      return buffer[0]
    },
  }
}

/**
 * The newest entry within the bound that stands under all terms, with its card if one of them carries it; or
 * none, because there is no more (`ended`) or the budget of reads is used up. `bound` is where to go on.
 */
async function nextCommon(readers: TermReader[], start: Bound | undefined, budget: { reads: number }) {
  let bound = start
  while (true) {
    if (budget.reads <= 0 && readers.some((reader) => reader.mustRead(bound)))
      return { entry: undefined, ended: false, bound }
    const heads = await Promise.all(readers.map((reader) => reader.newestWithin(bound)))
    const present = heads.filter((head) => head !== undefined)
    const oldest = present.reduce<Entry | undefined>(
      (one, other) => (one && one.id <= other.id ? one : other),
      undefined,
    )
    if (oldest === undefined || present.length < heads.length) return { entry: undefined, ended: true, bound }
    if (present.every((head) => head.id === oldest.id)) {
      const entry = present.find((head) => head.text !== undefined) ?? oldest
      return { entry, ended: false, bound: { id: oldest.id, inclusive: false } }
    }
    bound = { id: oldest.id, inclusive: true }
  }
}

/** A record's words changed: file it under those it has now, not under those it had `before`. */
const fragmentsJob = defineJob({
  name: 'list.fragments',
  payload: z.object({ workspace_id: z.string(), list: z.string(), id: z.string(), before: z.string() }),
})

/** Makes a function able to do what follows a change of words, for every list. */
export function followWords(db: Db, outbox: Outbox): void {
  const entry = listEntry(db)
  outbox.on(fragmentsJob, async ({ workspace_id, list, id, before }) => {
    const key = (term: string) => ({ workspace_id, list, term, id })
    const words = async () => (await entry.get(key('all')).go({ consistent: true })).data?.text ?? ''
    for (let now = await words(), filed: string | undefined; now !== filed; now = await words()) {
      const wanted = termsOf(now)
      const gone = [...termsOf(before), ...termsOf(filed ?? '')].filter((term) => !wanted.has(term))
      await writeAll(
        db,
        [...wanted].map((term) => entry.put(key(term))),
        [...new Set(gone)].map((term) => entry.delete(key(term))),
      )
      filed = now
      // Another change of the words may have come between reading and writing only where something was removed.
      if (gone.length === 0) return
    }
  })
}

function folded(texts: string[]): string {
  return fold(texts.join(' '))
}

function filterTerm(name: string, value: string): string {
  return `is:${name}=${value}`
}

function listTerms(record: Listed): string[] {
  const filters = Object.entries(record.filters).filter(
    (filter): filter is [string, string] => filter[1] !== null,
  )
  return ['all', ...filters.map(([name, value]) => filterTerm(name, value))]
}
