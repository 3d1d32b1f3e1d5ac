import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { readAll, writeAll } from './batch.ts'
import type { Cursors } from './cursor.ts'
import { type Db, strongly } from './db.ts'
import { listEntry } from './entities/list-entry.ts'
import { matches, type SearchWord, searchTextOf, searchWords, termsOf, termsToFind } from './fold.ts'
import { lazily } from './lazily.ts'
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

/** How many entries are looked at for one page before it is given out unfilled, with a cursor to go on. */
const mostCandidates = 500

/** How many entries are read at once at least where some of them may not be wanted. */
const leastRead = 25

/** Of how many terms the rarest is sought: more would cost more than they save. */
const mostTerms = 8

/**
 * A list of records, newest first, that can be narrowed by filters and searched by substring at a cost that
 * depends on the page, not on how many records there are.
 *
 * It is an inverted index: every record is filed under terms (`all`, one per filter value, one per three letters
 * of its words), each term's ids in one partition, ordered. A page is led by the rarest of the terms asked for;
 * which of its records are wanted, their own words and filters decide. The entries of `all` and of the filters
 * are written in the transaction of the record (`entries`), those of the words right after it by a job that is
 * recorded in that transaction (`follow`). One that is left over from words a record no longer has is harmless.
 */
export function searchIndex(db: Db, cursors: Cursors, list: string) {
  const entry = lazily(() => listEntry(db))
  const key = (workspaceId: string, term: string, id: string) => ({
    workspace_id: workspaceId,
    list,
    term,
    id,
  })

  const read = async (
    workspaceId: string,
    term: string,
    below: string | undefined,
    limit: number,
  ): Promise<Batch> => {
    const query = entry.query.newest({ workspace_id: workspaceId, list, term })
    const older = below === undefined ? query : query.lt({ id: below })
    const { data, cursor } = await older.go({ order: 'desc', limit, ...strongly })
    return { candidates: data, ended: cursor === null }
  }

  /** The candidates with what decides about them, which entries under words lack; without those deleted meanwhile. */
  const complete = async (workspaceId: string, candidates: Candidate[]): Promise<Candidate[]> => {
    const bare = candidates.filter((candidate) => candidate.text === undefined)
    if (bare.length === 0) return candidates
    const items = await readAll(
      db,
      bare.map((candidate) => entry.get(key(workspaceId, 'all', candidate.id))),
    )
    const full = new Map<string, Candidate>()
    for (const item of items) {
      const { data } = entry.parse({ Item: item })
      if (data) full.set(data.id, data)
    }
    return candidates.map((candidate) => full.get(candidate.id) ?? candidate)
  }

  /** Up to `limit` cards older than `below` that stand under all filters and match all words, and whether to go on where. */
  const find = async <Card>(
    workspaceId: string,
    filters: string[],
    words: SearchWord[],
    below: string | undefined,
    limit: number,
  ) => {
    const terms = inTurns([...filters.map((filter) => [filter]), ...words.map(termsToFind)])
    const size = terms.length > 1 || words.length > 0 ? Math.max(limit + 1, leastRead) : limit + 1
    const starts = await Promise.all(
      (terms.length > 0 ? terms.slice(0, mostTerms) : ['all']).map(async (term) => ({
        term,
        batch: await read(workspaceId, term, below, size),
      })),
    )
    const lead = starts.reduce((one, other) => (reach(other.batch) < reach(one.batch) ? other : one))

    const cards: Card[] = []
    let seenUpTo = below
    let seen = 0
    for (let batch = lead.batch; ; batch = await read(workspaceId, lead.term, seenUpTo, size)) {
      for (const candidate of await complete(workspaceId, batch.candidates)) {
        if (isWanted(candidate, filters, words)) {
          if (cards.length === limit) return { cards, next: seenUpTo }
          cards.push(candidate.card as Card)
        }
        seenUpTo = candidate.id
      }
      seen += batch.candidates.length
      if (batch.ended) return { cards, next: undefined }
      if (seen >= mostCandidates) return { cards, next: seenUpTo }
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
              text: searchTextOf(after?.texts ?? []),
              filters: kept,
            }),
          ),
        ),
      ]
    },

    /** The job that follows a change of what a record is found by. */
    follow(workspaceId: string, before: Listed | undefined, after: Listed | undefined): Job[] {
      const id = after?.id ?? before?.id ?? ''
      const text = searchTextOf(before?.texts ?? [])
      if (text === searchTextOf(after?.texts ?? [])) return []
      return [fragmentsJob.of({ workspace_id: workspaceId, list, id, before: text })]
    },

    /** A page of cards, newest first (G7, C3). A page may hold fewer than asked for and still not be the last. */
    async page<Card>(workspaceId: string, wanted: Wanted, request: PageRequest): Promise<Page<Card>> {
      const words = searchWords(wanted.search ?? '')
      const filters = Object.entries(wanted.filters).flatMap(([name, value]) =>
        value === undefined ? [] : [filterTerm(name, value)],
      )
      const binding = [workspaceId, list, filters, words]
      const below = request.cursor === undefined ? undefined : await cursors.open(binding, request.cursor)
      const { cards, next } = await find<Card>(workspaceId, filters, words, below, request.limit)
      const cursor = next === undefined ? null : await cursors.seal(binding, next)
      return { data: cards, pagination: { cursor, has_more: cursor !== null } }
    },
  }
}

type Candidate = { id: string; card?: unknown; text?: string | undefined; filters?: unknown }

/** What one read of a term gave, and whether that was the last of it. */
type Batch = { candidates: Candidate[]; ended: boolean }

/** How far down the ids the first entries of a term reach: the further, the rarer the term. All there are reach furthest. */
function reach({ candidates, ended }: Batch): string {
  return ended ? '' : (candidates.at(-1)?.id ?? '')
}

/** The first term of each list, then the second of each, and so on, so that every word has its say; each once. */
function inTurns(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? []))
  return [...new Set(turns.flat())]
}

function isWanted({ text, filters }: Candidate, wantedFilters: string[], words: SearchWord[]): boolean {
  if (text === undefined || !Array.isArray(filters)) return false
  return wantedFilters.every((filter) => filters.includes(filter)) && matches(text, words)
}

/** A record's words changed: file it under those it has now, not under those it had `before`. */
const fragmentsJob = defineFollowUp({
  name: 'list.fragments',
  version: 1,
  payload: z.object({ workspace_id: z.string(), list: z.string(), id: z.string(), before: z.string() }),
})

/** Does what follows a change of words, for every list. */
export function wordsFollowUp(db: Db): JobHandler {
  const entry = lazily(() => listEntry(db))
  return fragmentsJob.handledBy(async ({ workspace_id, list, id, before }) => {
    const key = (term: string) => ({ workspace_id, list, term, id })
    const words = async () => (await entry.get(key('all')).go(strongly)).data?.text ?? ''
    for (let now = await words(), filed: string | undefined; now !== filed; now = await words()) {
      const wanted = termsOf(now)
      const gone = [...termsOf(before), ...termsOf(filed ?? '')].filter((term) => !wanted.has(term))
      await writeAll(
        db,
        entriesUnder(wanted, (term) => entry.put(key(term))),
        [...new Set(gone)].map((term) => entry.delete(key(term))),
      )
      filed = now
      // Another change of the words may have come between reading and writing only where something was removed.
      if (gone.length === 0) return
    }
  })
}

/**
 * The same entry under many terms. `put` makes one; the others are its copies with another term in its place,
 * since making each anew would be half the work of opening a case.
 */
export function entriesUnder(terms: Iterable<string>, put: (term: string) => { params: () => unknown }) {
  const place = '\u0000'
  const { Item } = put(place).params() as { Item: Record<string, unknown> }
  const fields = Object.entries(Item)
  return Array.from(terms, (term) => ({
    params: () => {
      const item: Record<string, unknown> = {}
      for (const [name, value] of fields) {
        item[name] = typeof value === 'string' ? value.replace(place, () => term) : value
      }
      return { Item: item }
    },
  }))
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
