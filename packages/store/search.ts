import type { Job } from '#jobs/job.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Changes } from '#kernel/updated-since.ts'
import { changeLog, changeTime, pageOfChanges } from './change-log.ts'
import { type Cursors, pageByCursor } from './cursor.ts'
import type { Db } from './db.ts'
import { matches, type SearchWord, searchTextOf, searchWords, termsToFind } from './fold.ts'
import { type Data, wordsJob } from './search-words.ts'
import { type Entry, type Found, type Placed, sortedList, workspaceOf } from './sorted-list.ts'
import type { Action } from './transact.ts'

/** A record for its list. */
export type Listed = {
  /** Sorts by age: newer records have greater ids. It has no blanks. */
  id: string
  /** The fields that the list shows of the record. */
  summary: Record<string, unknown>
  /** The values for filters. Each of several values finds the record. Null is found by no filter. */
  filters: Record<string, string | string[] | null>
  /**
   * Values for filters with up to a hundred values, such as the parties of a case. Their entries do not fit into the
   * transaction of the record, so they are written with the entries of the words.
   */
  many?: Record<string, string[]>
  /** The texts that a search compares. */
  texts: string[]
  /** When the record last changed (`stamped`), for a list that answers `updated_since` (G16). */
  changed_at?: string | undefined
}

/** The searched bytes of a record: more than fifty addresses of the greatest length in Latin letters. */
const maxSearchedBytes = 40_000

/** The first of these texts, up to `maxSearchedBytes` together. */
export function searchedTexts(texts: string[]): string[] {
  let left = maxSearchedBytes
  return texts.filter((text) => {
    left -= Buffer.byteLength(text)
    return left >= 0
  })
}

/** The criteria for records: all these filter values and all words of the search. */
export type Wanted = {
  filters: Record<string, string | string[] | undefined>
  search?: string | undefined
}

/**
 * How many entries a search with several filters or words reads. `probed`: of each term, to find the rarest. `least`:
 * of the rarest term, before a page may end early. After that, reading continues while every `perRecord` entries
 * contain a matching record; 0 ends it.
 */
type Extent = { probed: number; least: number; perRecord: number }

/**
 * A page that is not full has a cursor. The probed entries of a word take one read unit if searchable texts have about
 * 150 bytes: a case with its number and the names of its parties.
 */
const firstPage: Extent = { probed: 16, least: 80, perRecord: 10 }
const laterPage: Extent = { ...firstPage, least: 1_000 }

/** Six entries of a filter, with their summaries, take about one read unit, however many entries the term has. */
const lookUp: Extent = { probed: 6, least: 20, perRecord: 0 }

/** The least entries of the second read of a page. Each later read takes twice as many as the one before. */
const minSecondRead = 64

/** The most terms that are compared to find the rarest. More would cost more than they save. */
const maxTerms = 8

/**
 * A list of records, newest first, with filters and a search by substring (C3). The cost of a page depends on its
 * length, not on the number of records.
 *
 * It is an inverted index: every record is filed under `all`, under each of its filter values, and under every three
 * consecutive letters of its words. A search reads the entries of its rarest term (the driving term), compares their
 * texts, and then reads only the records whose text matches. If the words of a search are frequent but rarely occur in
 * the same record, a page ends after a number of entries. Then it has fewer records than the limit, or none, and a
 * cursor.
 *
 * `recordList` keeps it. The transaction of the record writes the entries of `all` and of the filters (`changes`). A job
 * that the transaction enqueues writes the entries of the words (`follow`). An entry under a word that the record no
 * longer has does no harm, since the entry of `all` decides.
 *
 * @param name the list's part of the partition key, unique in the service: `cases`
 */
export function searchableList(db: Db, cursors: Cursors, name: string) {
  const list = sortedList<Data>(db, name, 'descending')

  const read = async (
    workspaceId: string,
    term: string,
    after: string | undefined,
    size: number,
  ): Promise<Batch> => ({ term, ...(await list.read(workspaceId, term, { after }, size)) })

  /**
   * The entries of the rarest of these terms after a place. The first entries of each term decide which is the rarest.
   */
  const rarestOf = async (
    workspaceId: string,
    terms: string[],
    after: string | undefined,
    probed: number,
  ): Promise<Batch> => {
    const batches = await Promise.all(
      terms.slice(0, maxTerms).map((term) => read(workspaceId, term, after, probed)),
    )
    return batches.reduce((one, other) => (lowestIdRead(other) < lowestIdRead(one) ? other : one))
  }

  /** Adds filters and summary to entries of words, which lack them. Leaves out records that were deleted meanwhile. */
  const complete = async (workspaceId: string, entries: Placed<Data>[]): Promise<Placed<Data>[]> => {
    const bare = entries.filter(({ data }) => data.filters === undefined).map(({ place }) => place)
    const full = await list.at(workspaceId, 'all', bare)
    return entries.flatMap(({ place, data }) => {
      const known = data.filters === undefined ? full.get(place) : data
      return known === undefined ? [] : [{ place, data: known }]
    })
  }

  /** Up to `limit` records with all filter values and all words, and the position to continue after. */
  const find = async (
    workspaceId: string,
    filters: string[],
    words: SearchWord[],
    start: Partial<Position>,
    limit: number,
    { probed, least, perRecord }: Extent = start.after === undefined ? firstPage : laterPage,
  ): Promise<{ items: FoundRecord[]; next: Position | undefined }> => {
    const terms = inTurns([...filters.map((filter) => [filter]), ...words.map(termsToFind)])
    const { after } = start
    let batch =
      start.term !== undefined
        ? await read(workspaceId, start.term, after, limit + 1)
        : terms.length > 1
          ? await rarestOf(workspaceId, terms, after, probed)
          : await read(workspaceId, terms[0] ?? 'all', after, limit + 1)

    const { term } = batch
    const items: FoundRecord[] = []
    let last = after
    let seen = 0
    let compared = 0
    for (let size = Math.max(limit + 1, Math.min(least - probed, minSecondRead)); ; size *= 2) {
      let candidates = batch.entries.filter(({ data }) => mayBeWanted(data, filters, words))
      while (candidates.length > 0) {
        // One more than the page needs, to know whether another page follows.
        const group = candidates.slice(0, limit + 1 - items.length)
        for (const { place, data } of await complete(workspaceId, group)) {
          if (!isWanted(data, filters, words)) continue
          if (items.length === limit) return { items, next: { term, after: last } }
          items.push({ place, summary: data.summary })
          last = place
        }
        compared += group.length
        candidates = candidates.slice(group.length)
        if (compared > 2 * limit + 2) return { items, next: { term, after: group.at(-1)?.place } }
      }
      if (batch.ended) return { items, next: undefined }
      last = batch.entries.at(-1)?.place
      seen += batch.entries.length
      if (seen >= least && seen > perRecord * items.length) return { items, next: { term, after: last } }
      batch = await read(workspaceId, term, last, size)
    }
  }

  return {
    /**
     * The actions that note a change in data that is shown with a record, without a change of the record. @param at its
     * new `changed_at`
     */
    touch: (workspaceId: string, id: string, at: string): Action[] =>
      changeLog<Seen>(db, name).add(workspaceId, id, at, {}),

    /**
     * The newest summaries with these filter values and words, at most `limit`. `isAll`: there are no others. With
     * several filters or words, only about twenty of the newest records with the rarest one are compared: then `isAll`
     * may be false with fewer results.
     */
    async newest<Summary>(
      workspaceId: string,
      filters: Wanted['filters'],
      limit: number,
      search = '',
    ): Promise<{ items: Summary[]; isAll: boolean }> {
      const words = searchWords(search)
      const { items, next } = await find(workspaceId, filterTerms(filters), words, {}, limit, lookUp)
      return { items: summariesOf<Summary>(items), isAll: next === undefined }
    },

    /** A page of summaries, newest first (G7, C3). A page with fewer than `limit` items may not be the last. */
    page<Summary>(workspaceId: string, wanted: Wanted, request: PageRequest): Promise<Page<Summary>> {
      const words = searchWords(wanted.search ?? '')
      const filters = filterTerms(wanted.filters)
      return pageByCursor(cursors, [workspaceId, name, filters, words], request, async (position, limit) => {
        const start = position === undefined ? {} : positionOf(position)
        const { items, next } = await find(workspaceId, filters, words, start, limit)
        return { items: summariesOf<Summary>(items), next: next && positionText(next) }
      })
    },

    /**
     * A page of summaries of records that match at least one of these criteria, newest first. It reads a page for each
     * of them, so there should be few. A page with fewer than `limit` items may not be the last.
     *
     * @param binding the request of the caller, for which a cursor is valid
     */
    pageOfAny<Summary>(
      workspaceId: string,
      binding: readonly unknown[],
      wanted: Wanted[],
      request: PageRequest,
    ): Promise<Page<Summary>> {
      return pageByCursor(cursors, [workspaceId, name, 'any', ...binding], request, async (after, limit) => {
        const found = await Promise.all(
          wanted.map(({ filters, search = '' }) =>
            find(workspaceId, filterTerms(filters), searchWords(search), { after }, limit),
          ),
        )
        // If one of them was not read to its end, records after its last one wait for the next page.
        const [bound] = found
          .flatMap(({ next }) => (next === undefined ? [] : [next.after ?? '']))
          .toSorted()
          .toReversed()
        const records = new Map(
          found
            .flatMap(({ items }) => items)
            .filter(({ place }) => bound === undefined || place >= bound)
            .toSorted((one, other) => (one.place < other.place ? 1 : -1))
            .map((record) => [record.place, record]),
        )
        const items = [...records.values()].slice(0, limit)
        const next = records.size > limit ? items.at(-1)?.place : bound
        return { items: summariesOf<Summary>(items), next }
      })
    },
  }
}

/** Entries of a term. */
type Batch = Found<Data> & { term: string }

/**
 * The searchable list of a kind of records, as their store keeps it.
 *
 * @param listed returns the list entry of a record; undefined if it is not listed
 */
export function recordList<Stored extends { workspace_id: string }>(
  db: Db,
  cursors: Cursors,
  name: string,
  listed: (record: Stored) => Listed | undefined,
) {
  const list = sortedList<Data>(db, name, 'descending')
  const log = changeLog<Seen>(db, name)

  /** The action that notes the change of a record with a stamp. */
  const noted = (workspaceId: string, before: Listed | undefined, after: Listed | undefined): Action[] => {
    const { id, changed_at } = after ?? before ?? {}
    if (id === undefined || changed_at === undefined) return []
    if (before?.changed_at === after?.changed_at) {
      if (JSON.stringify(before?.summary) === JSON.stringify(after?.summary)) return []
      throw new Error(`A change of ${id} has the stamp of the previous change.`)
    }
    const at = after === undefined ? changeTime(before) : changed_at
    return log.add(workspaceId, id, at, { was: seenOf(before), is: seenOf(after) })
  }

  return {
    ...searchableList(db, cursors, name),

    /**
     * The actions of a change, an addition (`before` undefined) or a removal, for the transaction of the record: they
     * change its entries, and note the change for `updated_since`.
     */
    changes(before: Stored | undefined, after: Stored | undefined): Action[] {
      const workspaceId = workspaceOf(before, after)
      const [was, is] = [before && listed(before), after && listed(after)]
      return [...list.changes(workspaceId, entriesOf(was), entriesOf(is)), ...noted(workspaceId, was, is)]
    },

    /** The job that follows a change of the record's texts, or of its many values. */
    follow(before: Stored | undefined, after: Stored | undefined): Job[] {
      const [was, is] = [before && listed(before), after && listed(after)]
      const id = is?.id ?? was?.id ?? ''
      const text = searchTextOf(was?.texts ?? [])
      const many = filterTerms(was?.many ?? {})
      const isSame = many.join('\n') === filterTerms(is?.many ?? {}).join('\n')
      if (isSame && text === searchTextOf(is?.texts ?? [])) return []
      const workspace_id = workspaceOf(before, after)
      return [wordsJob.of({ workspace_id, list: name, id, before: text, terms: many })]
    },

    /**
     * A page of records that were created, changed or deleted since a time, oldest first (G16). @param read returns the
     * existing records
     */
    pageOfChanges(
      workspaceId: string,
      wanted: Wanted,
      request: PageRequest & { since: string },
      read: (workspaceId: string, ids: string[]) => Promise<Stored[]>,
    ): Promise<Changes<Stored>> {
      const words = searchWords(wanted.search ?? '')
      const filters = filterTerms(wanted.filters)
      return pageOfChanges(cursors, [workspaceId, name, filters, words], request, (range) => [
        log.source<Stored>(workspaceId, range, {
          read: async (ids) =>
            (await read(workspaceId, ids)).flatMap((record) => {
              const entry = listed(record)
              if (entry === undefined) return []
              const { id, changed_at } = entry
              const text = searchTextOf(entry.texts)
              const isSearched = matches(text, words)
              const terms = allFilterTerms(entry)
              const fits = isSearched && filters.every((one) => terms.includes(one))
              const rulesOut = (was: Seen) => !isSearched && was.text === digestOf(text)
              return [{ id, record, changed_at, fits, rulesOut }]
            }),
          mayHaveLeft: (was, is) => {
            const isFound = (seen: Seen) => filters.every((filter) => seen.filters.includes(filter))
            const isSearched = words.length > 0 && was.text !== is?.text
            return isFound(was) && (is === undefined || isSearched || !isFound(is))
          },
        }),
      ])
    },
  }
}

/** The lowest id that was read; '' if all entries were read. The lower it is, the rarer the term. */
function lowestIdRead({ entries, ended }: Batch): string {
  return ended ? '' : (entries.at(-1)?.place ?? '')
}

/**
 * The first term of each list, then the second of each, and so on, without duplicates, so that every word is
 * considered.
 */
function inTurns(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? []))
  return [...new Set(turns.flat())]
}

/** A position of a search: the last id that was read, and the driving term, which is the same for all pages. */
type Position = { after: string | undefined; term: string }

type FoundRecord = { place: string; summary: unknown }

function summariesOf<Summary>(records: FoundRecord[]): Summary[] {
  return records.map(({ summary }) => summary as Summary)
}

function positionText({ after = '', term }: Position): string {
  return `${after} ${term}`
}

function positionOf(text: string): Position {
  const end = text.indexOf(' ')
  return { after: text.slice(0, end), term: text.slice(end + 1) }
}

/** Whether the record may match, according to its entry; see `complete`. */
function mayBeWanted(data: Data, filters: string[], words: SearchWord[]): boolean {
  return (
    (data.text === undefined || matches(data.text, words)) &&
    (data.filters === undefined ||
      filters.every((filter) => data.filters?.includes(filter) || data.many?.includes(filter)))
  )
}

function isWanted(data: Data, filters: string[], words: SearchWord[]): boolean {
  return data.text !== undefined && data.filters !== undefined && mayBeWanted(data, filters, words)
}

function filterTerms(filters: Listed['filters'] | Wanted['filters']): string[] {
  return Object.entries(filters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => filterTerm(name, value)),
  )
}

function allFilterTerms({ filters, many = {} }: Listed): string[] {
  return [...filterTerms(filters), ...filterTerms(many)]
}

/** The fields of a record that filters use, with a digest of the text that a search compares. */
type Seen = { filters: string[]; text: string }

function seenOf(record: Listed | undefined): Seen | undefined {
  if (record === undefined) return undefined
  return {
    filters: allFilterTerms(record),
    text: digestOf(searchTextOf(record.texts)),
  }
}

function digestOf(text: string): string {
  return hexDigest(text).slice(0, 16)
}

/** The term under which a record with this filter value is filed. */
export function filterTerm(name: string, value: string): string {
  return `is:${name}=${value}`
}

/** The entries of a record that its transaction writes. */
function entriesOf(record: Listed | undefined): Entry<Data>[] {
  if (record === undefined) return []
  const { id, summary, texts } = record
  const filters = filterTerms(record.filters)
  const many = filterTerms(record.many ?? {})
  const data = { text: searchTextOf(texts), filters, ...(many.length > 0 && { many }), summary }
  return ['all', ...filters].map((term) => ({ term, place: id, data }))
}
