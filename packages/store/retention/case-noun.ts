import type { Job } from '#jobs/job.ts'
import type { Consequences } from '../changes.ts'
import type { Db } from '../db.ts'
import { withNulls } from '../nulls.ts'
import type { Action } from '../transact.ts'
import { keyIn } from '../upgrades/upgrade.ts'

/** An item as the table holds it. */
export type RawItem = Record<string, unknown>

/** The key of an item. */
export type ItemKey = { pk: string; sk: string }

/** The data that is stored of a record besides its item, and is removed with it. */
export type Traces = {
  /** Actions that remove entries of lists. Only what they remove counts. */
  entries?: Action[]
  /** Keys of other items. */
  keys?: ItemKey[]
  /** Partitions of which every item goes, without the workspace. */
  partitions?: string[]
  /** The jobs that remove its words from lists. */
  jobs?: Job[]
  /** The index of texts has an entry of it. */
  isSearched?: boolean
  /** Work that removes what only a change of another item can remove. It may run twice. */
  alsoRun?: () => Promise<void>
}

/** The texts of a record that people have written. */
export type Texts<Stored> = {
  /** The fields of the item as paths; `*`: every text in it; `**`: names of members too; `json`: it is JSON text. */
  fields: string[]
  /** Fields that take these values if one of their texts has the data: their other texts say whose data it is. */
  instead?: (record: Stored) => RawItem
  /** Whether the record is evidence, which stays as it is. */
  isEvidence?: (record: Stored) => boolean
  /** The keys of its texts in the bucket: plain text, or JSON if they end with `.json`. They may be gone. */
  files?: (record: Stored) => string[] | undefined
  /** The actions and jobs that go with a change of these fields. Absent if no list holds them. */
  follow?: (before: Stored, after: Stored) => Consequences
  /** Work that comes before a change of these fields. It may run twice. */
  first?: (record: Stored) => Promise<void>
}

/**
 * A kind of records that belong to cases. Its records have the id of their case; a record that was moved to another case
 * belongs to that one.
 */
export type CaseNoun = {
  /** The name of its entity. Counts and digests use it. */
  kind: string
  /** The prefix of the ids of this kind. Several kinds may share it. */
  idPrefix: string
  keyOf: (workspaceId: string, id: string) => ItemKey
  /** Which case a record is in. */
  caseOf: (item: RawItem) => unknown
  /** The partitions of lists, without the workspace, whose entries end with the ids of the records of a case. */
  listed: (caseId: string, workspaceId: string) => string[] | Promise<string[]>
  /** The beginnings of the keys of its objects in the bucket: `files/ws_…/doc_…`. */
  objects?: (workspaceId: string, id: string) => string[]
  /** Ids of other records that go with it, if they exist, whatever case they name themselves (but `staysElsewhere`). */
  related?: (item: RawItem) => string[]
  /** A record of this kind does not go with another one if it is in another case. */
  staysElsewhere?: boolean
  /** The data that is stored of a record. If the record is deleted, some of it may be gone. */
  traces: (item: RawItem) => Traces | Promise<Traces>
  /** The texts from which an erasure takes the data of a party. Absent if they are evidence, or another step changes them. */
  texts?: Required<Texts<RawItem>>
  /** Until which day, in the firm's time zone, a record is kept though its case is gone; null if it goes with the case. */
  keptUntil?: (item: RawItem, timeZone: string) => string | null
}

/** The parts of a noun that do not follow from its entity. They are given records, with their nulls. */
type Described<Stored> = Pick<CaseNoun, 'idPrefix'> &
  Partial<Pick<CaseNoun, 'listed' | 'caseOf' | 'staysElsewhere'>> & {
    /** The record of an item, if that is not the item itself. */
    recordOf?(held: object): Stored
    /** Its lists (`case-lists.ts`), unless `listed` names them. */
    lists?: readonly string[]
    /** The folders of the bucket with its objects: the id may be followed by a name, or by other objects. */
    folders?: string[]
    related?: (record: Stored) => string[]
    traces: (record: Stored) => Traces | Promise<Traces>
    texts?: Texts<Stored>
    keptUntil?: (record: Stored, timeZone: string) => string | null
  }

/** Whether a record stays if the case is disposed of. @param goesWith whether it goes with another record of the case */
export function isElsewhere(noun: CaseNoun, item: RawItem, caseId: string, goesWith: boolean): boolean {
  const of = noun.caseOf(item)
  if (of === caseId) return false
  return !goesWith || (noun.staysElsewhere === true && typeof of === 'string')
}

/** The noun of the records of an entity. */
export function caseNoun<Stored>(
  db: Db,
  kind: unknown,
  { recordOf, lists = [], folders = [], related, traces, texts, keptUntil, ...parts }: Described<Stored>,
): CaseNoun {
  const { entityName, nullable } = kind as RecordKind
  const entity = (kind as RecordKind)(db)
  const read = (Item: RawItem): Stored => {
    const held = withNulls<object, never>(entity.parse({ Item }).data ?? {}, nullable)
    return recordOf === undefined ? (held as Stored) : recordOf(held)
  }
  return {
    kind: entityName,
    keyOf: (workspace_id, id) => keyIn(entity.get({ workspace_id, id })),
    caseOf: (item) => item.case_id,
    listed: (caseId) => lists.map((list) => `${list}${caseId}`),
    objects: (workspaceId, id) => folders.map((folder) => `${folder}/${workspaceId}/${id}`),
    ...parts,
    traces: (item) => traces(read(item)),
    ...(related && { related: (item) => related(read(item)) }),
    ...(texts && {
      texts: {
        fields: texts.fields,
        instead: (item) => texts.instead?.(read(item)) ?? {},
        isEvidence: (item) => texts.isEvidence?.(read(item)) ?? false,
        files: (item) => texts.files?.(read(item)),
        follow: (before, after) => texts.follow?.(read(before), read(after)) ?? { actions: [] },
        first: async (item) => texts.first?.(read(item)),
      },
    }),
    ...(keptUntil && { keptUntil: (item, timeZone) => keptUntil(read(item), timeZone) }),
  }
}

type RecordKind = {
  (
    db: Db,
  ): {
    get: (key: { workspace_id: string; id: string }) => { params: () => unknown }
    parse: (response: { Item: object }) => { data: object | null }
  }
  entityName: string
  nullable: { readonly [field: string]: true }
}
