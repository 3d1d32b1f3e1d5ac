import type { Job } from '#jobs/job.ts'
import type { Action } from '../transact.ts'

/** An item as the table holds it. */
export type RawItem = Record<string, unknown>

/** The key of an item. */
export type ItemKey = { pk: string; sk: string }

/** What is stored of a record besides its item, and goes with it. */
export type Traces = {
  /** Actions that remove entries of lists. Only what they remove counts. */
  entries?: Action[]
  /** Keys of other items. */
  keys?: ItemKey[]
  /** Partitions of which every item goes, without the workspace. */
  partitions?: string[]
  /** The jobs that remove its words from lists. */
  jobs?: Job[]
  /** The beginnings of the keys of other objects in the bucket. */
  objects?: string[]
  /** The index of texts has an entry of it. */
  isSearched?: boolean
  /** Work that removes what only a change of another item can remove. It may run twice. */
  alsoRun?: () => Promise<void>
}

/**
 * A kind of records that belong to cases. Its records have the id of their case; a record that was moved to another case
 * belongs to that one.
 */
export type CaseNoun = {
  /** The name of its entity. Counts and digests use it. */
  kind: string
  /** What an id of this kind begins with. Several kinds may share it. */
  idPrefix: string
  keyOf: (workspaceId: string, id: string) => ItemKey
  /** Which case a record is in. */
  caseOf: (item: RawItem) => unknown
  /** The partitions of lists, without the workspace, whose entries end with the ids of the records of a case. */
  listed: (caseId: string) => string[]
  /** The beginnings of the keys of its objects in the bucket: `files/ws_…/doc_…`. */
  objects?: (workspaceId: string, id: string) => string[]
  /** Ids of other records that go with it, if they exist, whatever case they name themselves. */
  related?: (item: RawItem) => string[]
  /** What is stored of a record. The record may be deleted: then some of it may be gone. */
  traces: (item: RawItem) => Traces | Promise<Traces>
  /** Until which day, in the firm's time zone, a record is kept though its case is gone; null if it goes with the case. */
  keptUntil?: (item: RawItem, timeZone: string) => string | null
}
