import type { StatementSync } from 'node:sqlite'
import { stemOf } from './analyse.ts'
import { compoundsOf } from './compounds.ts'
import { type Postings, somePosting, titleWeight } from './postings.ts'
import { dayNumber } from './segment-file.ts'
import type { Deleted, Part, Query, SearchFilter, SearchResult, Segment, Vocabulary } from './types.ts'
import { visibleRecords } from './visible-records.ts'
import { hasWord, wordsBeginningWith } from './words.ts'

/** A segment in one search. */
type View = {
  segment: Segment
  /** By row: 1 if the caller may read the record and it is the latest entry of its id. */
  visible: Uint8Array
  /** The words of the records that the caller may read, including older entries. */
  vocabularies: Vocabulary[]
  /** By row. */
  scores: Float64Array
  /** By row: how many groups match, counted from the first group; `excluded` if an excluded part matches. */
  matched: Uint16Array
}

const excluded = 0xffff

/** The rows in which a part of the query occurs, and its weight by row. */
type Occurrences = { rows: number[]; weights: Float32Array }

/** The constants k1 and b of BM25. */
const saturation = 1.2
const lengthWeight = 0.75
/** An occurrence in a compound counts half. */
const compoundWeight = 0.5

/**
 * Searches all segments. The rank is BM25 over all segments. Its statistics cover only the records that the caller may
 * read, so other records change neither hits nor scores. Of records with equal scores, the newest comes first.
 */
export function searchSegments(
  segments: Segment[],
  query: Query,
  options: { filter: SearchFilter; deleted: Deleted; offset: number; limit: number },
): SearchResult {
  const { filter, deleted, offset, limit } = options
  const views = viewsOf(segments, filter, deleted)
  const matched = new Map<Part, Set<string>>()
  const { groups } = query
  if (groups.length === 0 && query.excluded.length === 0) return { hits: [], total: 0, matched }

  const isKnown = knownWords(views)
  const average = averageLength(views)
  const evaluate = (part: Part): Occurrences[] => {
    const terms = termsOf(part, views, isKnown)
    matched.set(part, new Set(terms.flatMap((ofSegment) => [...ofSegment.keys()])))
    return views.map((view, at) => occurrencesOf(view, part, terms[at] ?? new Map()))
  }
  for (const [at, group] of groups.entries()) {
    for (const part of group) addScores(views, evaluate(part), at, average)
    // If no record matches all groups so far, the other parts are not looked up.
    if (!views.some((view) => view.matched.includes(at + 1))) return { hits: [], total: 0, matched }
  }
  for (const part of query.excluded)
    evaluate(part).forEach(({ rows }, at) => {
      for (const row of rows) if (views[at] !== undefined) views[at].matched[row] = excluded
    })
  return { ...best(views, groups.length, filter, offset, limit), matched }
}

function viewsOf(segments: Segment[], { mayRead }: SearchFilter, deleted: Deleted): View[] {
  return visibleRecords(segments, deleted, mayRead).map(({ segment, visible, isReadable }) => ({
    segment,
    visible,
    vocabularies: segment.vocabularies.flatMap((read, at) => (isReadable[at] === true ? [read()] : [])),
    scores: new Float64Array(visible.length),
    matched: new Uint16Array(visible.length),
  }))
}

/** The number of visible records, and their average length. */
function averageLength(views: View[]): { length: number; records: number } {
  let records = 0
  let length = 0
  for (const { segment, visible } of views)
    for (let row = 1; row < visible.length; row += 1)
      if (visible[row] === 1) {
        records += 1
        length += segment.columns.lengths[row] ?? 0
      }
  return { records, length: Math.max(1, length / Math.max(1, records)) }
}

/**
 * Returns a function that tests whether a record that the caller may read contains a word or stem. If other records
 * counted, a caller could store a compound and learn whether its parts occur in them.
 */
function knownWords(views: View[]): (word: string) => boolean {
  const results = new Map<string, boolean>()
  const vocabularies = views.flatMap((view) => view.vocabularies)
  return (word) => {
    const present = results.get(word)
    if (present !== undefined) return present
    const result = vocabularies.some(
      ({ mayHave, words, stems }) => mayHave(word) && (hasWord(words, word) || hasWord(stems, word)),
    )
    results.set(word, result)
    return result
  }
}

/**
 * The terms in each segment that a part matches, with their weights. A phrase of several terms has none, because FTS5
 * finds it.
 */
function termsOf(part: Part, views: View[], isKnown: (word: string) => boolean): Map<string, number>[] {
  if (part.type === 'phrase') {
    const { terms, isPrefix } = part
    const single = terms.length === 1 && !isPrefix ? terms : []
    return views.map(() => new Map(single.map((term) => [term, 1])))
  }
  const lists = views.map(({ vocabularies }) => vocabularies.map(({ words }) => words))
  if (part.type === 'word')
    return compoundsOf(part.term, lists, isKnown).map((terms) =>
      new Map([...terms].map((term): [string, number] => [term, compoundWeight])).set(part.term, 1),
    )
  // `postingsWithPrefix` finds the stems that have this prefix. This adds the other stems of words with this prefix:
  // the stem of `kündigung` does not begin with `kündigun`.
  const { word: prefix } = part
  return lists.map((ofSegment) => {
    const words = prefix.length < 3 ? [] : ofSegment.flatMap((list) => wordsBeginningWith(list, prefix))
    const stems = words.map(stemOf)
    return new Map(stems.filter((stem) => !stem.startsWith(prefix)).map((stem) => [stem, 1]))
  })
}

function occurrencesOf(
  { segment, visible }: View,
  part: Part,
  terms: ReadonlyMap<string, number>,
): Occurrences {
  const rows: number[] = []
  const weights = new Float32Array(visible.length)
  const take = (row: number, weight: number): void => {
    if (visible[row] !== 1) return
    if (weights[row] === 0) rows.push(row)
    weights[row] = (weights[row] ?? 0) + weight
  }
  const takeAll = (postings: Postings, factor: number): void => {
    somePosting(postings, (row, weight) => {
      take(row, factor * weight)
      return false
    })
  }
  for (const [factor, ofFactor] of Map.groupBy(terms.keys(), (term) => terms.get(term) ?? 1))
    for (const postings of postingsOf(segment, ofFactor)) takeAll(postings, factor)
  if (part.type === 'prefix')
    for (const postings of postingsWithPrefix(segment, part.word)) takeAll(postings, 1)
  if (part.type === 'phrase' && terms.size === 0) {
    const match = matchOf(part)
    for (const row of rowsOf(segment, match)) take(row, 1)
    for (const row of rowsOf(segment, `titles : ${match}`)) take(row, titleWeight - 1)
  }
  return { rows, weights }
}

function postingsOf({ db }: Segment, terms: string[]): Postings[] {
  const sql = 'SELECT rows FROM json_each(?) CROSS JOIN postings ON term = value'
  return postingsIn(prepared(db, sql).all(JSON.stringify(terms)))
}

/** The postings of all terms with a prefix. */
function postingsWithPrefix({ db }: Segment, prefix: string): Postings[] {
  const sql = 'SELECT rows FROM postings WHERE term >= ? AND term < ?'
  return postingsIn(prepared(db, sql).all(prefix, `${prefix}\u{10ffff}`))
}

const postingsIn = (all: Record<string, unknown>[]): Postings[] =>
  all.flatMap(({ rows }) => (rows instanceof Uint8Array ? [rows] : []))

/** The FTS5 expression for a phrase. Terms have neither quotes nor spaces. */
function matchOf({ terms, isPrefix }: Part & { type: 'phrase' }): string {
  return `"${terms.join(' ')}"${isPrefix ? ' *' : ''}`
}

/** Reads the row numbers as one string, which takes a tenth of the time. */
function rowsOf({ db }: Segment, match: string): number[] {
  const found = prepared(db, 'SELECT group_concat(rowid) AS list FROM texts WHERE texts MATCH ?').get(match)
  return numbersOf(found?.list)
}

function numbersOf(list: unknown): number[] {
  return typeof list === 'string' ? JSON.parse(`[${list}]`) : []
}

const statements = new WeakMap<Segment['db'], Map<string, StatementSync>>()

function prepared(db: Segment['db'], sql: string): StatementSync {
  const ofDb = statements.get(db) ?? new Map<string, StatementSync>()
  const statement = ofDb.get(sql) ?? db.prepare(sql)
  statements.set(db, ofDb.set(sql, statement))
  return statement
}

function addScores(
  views: View[],
  occurrences: Occurrences[],
  group: number,
  { records, length: average }: { records: number; length: number },
): void {
  const found = occurrences.reduce((sum, { rows }) => sum + rows.length, 0)
  const inverseFrequency = Math.log(1 + (records - found + 0.5) / (found + 0.5))
  views.forEach(({ segment, matched, scores }, at) => {
    const { rows, weights } = occurrences[at] ?? { rows: [], weights: [] }
    for (const row of rows) {
      const groups = matched[row] ?? 0
      if (groups !== group && groups !== group + 1) continue
      matched[row] = group + 1
      const weight = weights[row] ?? 0
      const length = segment.columns.lengths[row] ?? 0
      const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / average)
      scores[row] = (scores[row] ?? 0) + (inverseFrequency * (weight * (saturation + 1))) / (weight + damping)
    }
  })
}

type Candidate = { view: View; row: number; score: number; day: number }

function best(
  views: View[],
  groups: number,
  filter: SearchFilter,
  offset: number,
  limit: number,
): Pick<SearchResult, 'hits' | 'total'> {
  const most = offset + limit
  let kept: Candidate[] = []
  let total = 0
  for (const view of views) {
    const isWanted = rowFilter(view, filter)
    for (let row = 1; row < view.matched.length; row += 1) {
      if (view.matched[row] !== groups || view.visible[row] !== 1 || !isWanted(row)) continue
      total += 1
      const candidate = { view, row, score: view.scores[row] ?? 0, day: view.segment.columns.days[row] ?? 0 }
      kept.push(candidate)
      // Keeps only the best from time to time, so that a frequent word does not take much memory.
      if (kept.length > 2 * most + maxUnsorted) kept = kept.sort(compare).slice(0, most)
    }
  }
  return { hits: kept.sort(compare).slice(offset, most).map(hitOf), total }
}

const maxUnsorted = 10_000

function compare(one: Candidate, other: Candidate): number {
  return other.score - one.score || other.day - one.day
}

/** Returns a function that tests whether the record of a row matches the filter. */
function rowFilter(
  { segment, visible }: View,
  { kinds, case_id, from, to }: SearchFilter,
): (row: number) => boolean {
  const { columns, db } = segment
  const isKind = columns.kindNames.map((name) => kinds?.includes(name) ?? true)
  const first = from === undefined ? -Infinity : dayNumber(from)
  const last = to === undefined ? Infinity : dayNumber(to)
  let ofCase: Uint8Array | undefined
  if (case_id !== undefined) {
    ofCase = new Uint8Array(visible.length)
    const sql = 'SELECT group_concat(row) AS list FROM records WHERE case_id = ?'
    for (const row of numbersOf(prepared(db, sql).get(case_id)?.list)) ofCase[row] = 1
  }
  return (row) => {
    const day = columns.days[row] ?? 0
    return (
      isKind[columns.kinds[row] ?? 0] === true && day >= first && day <= last && (ofCase?.[row] ?? 1) === 1
    )
  }
}

function hitOf({ view, row, score }: Candidate): SearchResult['hits'][number] {
  const found = prepared(view.segment.db, 'SELECT id FROM records WHERE row = ?').get(row)
  return { id: String(found?.id), score }
}
