import type { DueIndex } from '#jobs/sweeping.ts'
import type { SearchKind } from './schema.ts'

/** A document, mail or beA message in the form that the engine indexes. */
export type IndexedRecord = {
  /** Unique in the firm, over all kinds. */
  id: string
  /**
   * A whole number that grows with every change. Of two entries with one id, the one with the greater number counts.
   */
  sequence: number
  kind: string
  /**
   * Identifies the readers: a user who may read one record with this value may read all of them. The engine does not
   * interpret it. Values are `documents`, `mail`, and one for each beA account, confidential or not. A firm has at most a
   * few thousand.
   */
  access: string
  case_id: string | null
  /** A day: `2026-11-27`. */
  date: string
  /** File name, subject, names, addresses. They weigh more than the text, and no phrase spans two of them. */
  titles: string[]
  /** The text of the pages, or of the body, in order. A phrase may continue on the next page. */
  pages: string[]
}

/** Facts of a segment file, for the manifest. */
export type SegmentFacts = {
  /** Version of the format. A segment of another version cannot be opened and is rebuilt from the texts. */
  format: number
  records: number
  /** The number of records by `access`. Segments of format 2 and below do not have it. */
  accesses?: Record<string, number>
  bytes: number
  /** Of the whole file, in hexadecimal. */
  sha256: string
  /** Whether it contains the analysed texts of its records, which a merge into another segment needs. */
  keepsTerms: boolean
}

/**
 * Deleted records that segments still contain: by id, the sequence up to which entries do not count (`Infinity`: all).
 */
export type Deleted = ReadonlyMap<string, number>

/** The part of the engine that makes segments, on the local disk. */
export type SegmentWriter<Segment> = {
  /** The version of the format of the segments that it makes, and the only one that it opens. */
  format: number
  build: (records: AsyncIterable<IndexedRecord>, path: string) => Promise<SegmentFacts>
  /** @throws an error with `problem` if the segment cannot be used and must be rebuilt */
  open: (path: string, expected: SegmentFacts) => Promise<Segment>
  close: (segment: Segment) => void
  /** The segments that may be merged with each other. The others are full: each is only rewritten alone. */
  mergeable: (segments: readonly NamedSegment[]) => NamedSegment[]
  /** Whether a segment has an entry of a deleted record. */
  hasDeleted: (segment: Segment, deleted: Deleted) => boolean
  /** Which mergeable segments to merge now. @param isPurge merges all, so that nothing deleted is left in the files */
  planMerge: (
    segments: readonly NamedSegment[],
    isPurge?: boolean,
  ) => { names: string[]; keepsTerms: boolean } | undefined
  merge: (segments: Segment[], deleted: Deleted, path: string, keepsTerms: boolean) => Promise<SegmentFacts>
}

/** A segment of a manifest. `name`: the end of its key in the bucket. */
export type NamedSegment = SegmentFacts & { name: string }

/** A rebuild of an index from the texts, while the current index answers. */
export type Rebuild = {
  /** The list that is being read, and the id of its last indexed record. */
  list: number
  after?: string
  segments: NamedSegment[]
  /** Deletions since the rebuild began. */
  deleted: [id: string, sequence: number][]
}

/** The parts of a firm's index. The manifest is changed as a whole, on the condition of its `version`. */
export type SearchManifest = {
  workspace_id: string
  /** Grows with every batch: the entries of a batch have this number. */
  sequence: number
  segments: NamedSegment[]
  /** Deleted records that segments still contain, with the sequence up to which their entries do not count. */
  deleted: [id: string, sequence: number][]
  /** Since when segments contain deleted records or older forms of changed records. */
  deleted_since?: string | undefined
  /** The last batch before deleted records were purged. A cursor from that batch or an earlier one is refused. */
  purged?: number | undefined
  /** Segments that no manifest needs any more, and since when. Readers may still use them for a while. */
  garbage: { name: string; since: string }[]
  /** A segment that is about to be stored. If the worker dies, the segment is garbage. */
  writing?: string | undefined
  rebuild?: Rebuild | undefined
  /** Why the index is being rebuilt, and how many records cannot be found until then. */
  damage?: { reason: string; records: number; accesses?: Record<string, number> | undefined } | undefined
  /** When a batch was last published. */
  indexed_at?: string | undefined
  /** When work is due without a new mark. */
  due_at?: string | undefined
  version: number
}

/** A record whose entry must be added, replaced or removed. */
export type SearchMark = {
  term: 'changed' | 'new' | 'waiting'
  place: string
  id: string
  /** When the record was changed; for a waiting mark, when the record is retried. */
  at: string
  erase: boolean
  /** Written by the upgrade for a record that is older than the index. `at` is then the time of the record. */
  upgrade: boolean
  attempts: number
  reason?: string | undefined
}

/** A record that is retried at `at`. */
export type WaitingRecord = { id: string; at: string; attempts: number; reason: string }

/** The marks and the manifest of firms, in the table. */
export type SearchIndexStore = {
  /** The oldest marks of a term, at most `limit`. `before` leaves out waiting records that are due later. */
  marks: (
    workspaceId: string,
    term: SearchMark['term'],
    limit: number,
    before?: string,
  ) => Promise<SearchMark[]>
  /** The latest marks of a term, at most `limit`, latest first. */
  latestMarks: (workspaceId: string, term: 'changed' | 'new', limit: number) => Promise<SearchMark[]>
  /** Removes marks after the index with their records is published. */
  forget: (workspaceId: string, marks: readonly SearchMark[]) => Promise<void>
  /** Notes records that must be retried. A record that is already waiting gets another note. */
  postpone: (workspaceId: string, waiting: readonly WaitingRecord[]) => Promise<void>
  manifest: (workspaceId: string) => Promise<SearchManifest | undefined>
  /** Replaces a manifest. @returns false if somebody else changed it since it was read */
  replace: (before: SearchManifest | undefined, after: SearchManifest) => Promise<boolean>
  /**
   * The number of documents whose bytes were accepted and that are not read yet, at most `limit`, and the time of the
   * oldest.
   */
  unread: (workspaceId: string, limit: number) => Promise<{ count: number; oldest: string | undefined }>
  /** The ids of records of a list that follow `after`, in ascending order. */
  idsAfter: (
    workspaceId: string,
    list: (typeof searchedLists)[number],
    after: string | undefined,
    limit: number,
  ) => Promise<string[]>
  /** Removes the item by which a sweep finds a firm, unless it belongs to the current manifest. */
  settle: (due: DueFirm) => Promise<void>
  /**
   * The exclusive right to write the index of a firm; undefined if another process has it. It is renewed until
   * released.
   */
  lease: (workspaceId: string) => Promise<{ release: () => Promise<void> } | undefined>
}

/** The lists whose records are searched, by their names in the table. */
export const searchedLists = ['documents', 'correspondence', 'bea_messages'] as const

/** The firms whose indexes have work without a new mark. */
export type DueIndexWork = DueIndex<DueFirm>

export type DueFirm = { workspace_id: string; due_at: string }

/** A current record with its texts. */
export type SearchableRecord = Omit<IndexedRecord, 'sequence'> & {
  kind: SearchKind
  /** The file name or the subject. */
  title: string
  /** Whether `pages` are real pages, not a text without pages. */
  isPaged: boolean
  /** Why a part of the record could not be read. */
  problem?: RecordProblem | undefined
}

/**
 * `pages_missing`: an older release stored the text without its pages. `text_pending`: the text is being read.
 * `text_missing`, `not_indexable`: the text cannot be read, or the engine cannot index it. `readers_pending`: the final
 * readers are known later; until then few may read the record.
 */
export type RecordProblem =
  | 'pages_missing'
  | 'readers_pending'
  | 'text_pending'
  | 'text_missing'
  | 'not_indexable'

/** A record without its texts, and the function that reads them. */
export type FoundRecord = Omit<SearchableRecord, 'pages' | 'problem'> & {
  /** The approximate number of characters of its texts. It limits how many texts are read at the same time. */
  characters: number
  /** The reason in the document why its text cannot be searched; null if there is none. */
  notedProblem: string | null
  read: () => Promise<Pick<SearchableRecord, 'pages' | 'problem' | 'isPaged'>>
}

/** The records of firms, of all kinds. */
export type SearchedRecords = {
  /** The existing, searchable records among these ids, in no particular order. */
  find: (workspaceId: string, ids: readonly string[]) => Promise<FoundRecord[]>
  /** Records in a document why its text cannot be searched; null if it can. */
  note: (workspaceId: string, id: string, problem: string | null) => Promise<void>
  /** Requests a new extraction of a document whose text has no pages. */
  readAgain: (workspaceId: string, id: string) => Promise<void>
}

/** The files of segments in the bucket. */
export type SegmentFiles = {
  /** Stores a file under a name. */
  put: (workspaceId: string, name: string, path: string, signal: AbortSignal) => Promise<void>
  /** Copies a segment into a file. @returns false if it does not exist */
  fetch: (workspaceId: string, name: string, path: string) => Promise<boolean>
  /** Removes segments, with every version that the bucket keeps. A missing one is not an error. */
  remove: (workspaceId: string, names: readonly string[]) => Promise<void>
}

/** The records that a caller may read and asks for. */
export type SearchFilter = {
  /** Called once for each value of `access`. */
  mayRead: (access: string) => boolean
  kinds?: readonly string[] | undefined
  case_id?: string | undefined
  /** First and last day. */
  from?: string | undefined
  to?: string | undefined
}

/** A matching record. `score` is comparable only within one search. */
export type EngineHit = { id: string; score: number }

/** Plain text from a stored text, at most 240 characters. */
export type Snippet = {
  text: string
  /** Index in the pages, from 0. Null: from the titles. */
  page: number | null
  /** Offsets in UTF-16 units of `text`; the end is exclusive. */
  highlights: [start: number, end: number][]
}

/** The part of the engine that searches. */
export type SearchEngine<Segment, Query, Matched> = {
  parse: (text: string) => Query
  /** The limit that a query exceeds, as a message; undefined if it exceeds none. */
  exceededLimit: (query: Query) => string | undefined
  search: (
    segments: Segment[],
    query: Query,
    options: { filter: SearchFilter; deleted: Deleted; offset: number; limit: number },
  ) => { hits: EngineHit[]; total: number; matched: Matched }
  /** @param texts.isWhole whether these are all texts of the record; if not, its titles must match */
  snippets: (
    texts: { titles: string[]; pages: string[]; isWhole: boolean },
    query: Query,
    matched: Matched,
  ) => Snippet[]
}

/** Segments on the local disk, within a limit. */
export type SegmentCache<Segment> = {
  /**
   * Opens segments of a firm, and keeps them open until they are released. `unusable`: the segments that cannot be
   * used, with the reason.
   *
   * @param named the names of all segments of the firm that a search may need again; others are closed and removed
   */
  open: (
    workspaceId: string,
    segments: readonly NamedSegment[],
    named: readonly string[],
  ) => Promise<{ segments: Segment[]; unusable: { name: string; problem: string }[]; release: () => void }>
  /** Makes a segment for one search. */
  make: (records: AsyncIterable<IndexedRecord>) => Promise<{ segment: Segment; release: () => Promise<void> }>
}
