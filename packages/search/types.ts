import type { DatabaseSync } from 'node:sqlite'
import type { EngineHit, SegmentFacts } from '#text-search/ports.ts'
import type { WordList } from './words.ts'

export type { Deleted, IndexedRecord, SearchFilter, SegmentFacts, Snippet } from '#text-search/ports.ts'

/** The data of each record that every search needs, by row number. Row 0 is unused. */
export type Columns = {
  /** Days since 1970. */
  days: Int32Array
  /** Number of tokens. */
  lengths: Uint32Array
  /** Positions in `accessNames` and `kindNames`. A row whose record was removed has kind 0. */
  accesses: Uint16Array
  kinds: Uint8Array
  accessNames: string[]
  kindNames: string[]
}

/** An open segment. It is read-only, for any number of searches. */
export type Segment = {
  db: DatabaseSync
  facts: SegmentFacts
  /** By position in `accessNames`: the words of the records with this `access`, read when needed. */
  vocabularies: (() => Vocabulary)[]
  columns: Columns
  close: () => void
}

/** The words with only the letters a to z in the texts of records with one value of `access`. */
export type Vocabulary = {
  words: WordList
  /** The stems of the words, except stems that are also words. */
  stems: WordList
  /** False only for a text that is neither a word nor a stem. */
  mayHave: (text: string) => boolean
}

/** Why a segment cannot be used. It must be rebuilt. */
export type SegmentProblem = 'missing' | 'damaged' | 'other_version'

/** A part of a query. */
export type Part =
  /** One word, in every form, and in compounds. `word` is the folded word; `term` is its stem. */
  | { type: 'word'; word: string; term: string }
  /** Consecutive terms. With `isPrefix` the last one is a prefix. */
  | { type: 'phrase'; terms: string[]; isPrefix: boolean }
  /** Every word with this prefix. */
  | { type: 'prefix'; word: string }

/** A parsed query: every group must match with at least one of its parts, and no excluded part may. */
export type Query = { groups: Part[][]; excluded: Part[] }

/** The terms that a part of the query matches in these segments, such as the compounds of a word. */
export type Matched = ReadonlyMap<Part, ReadonlySet<string>>

export type SearchResult = {
  /** Best first; records with equal scores newest first. */
  hits: EngineHit[]
  /** The number of all matching records. */
  total: number
  matched: Matched
}
