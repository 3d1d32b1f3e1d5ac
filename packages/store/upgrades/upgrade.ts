import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import type { Action, Operation } from '../transact.ts'

/**
 * How the records of one list come into the form of a newer layout (U1). It takes the records with an entry under a
 * term of the list. Each is read, and written back only if nobody changed it meanwhile.
 */
export type Source = {
  /** The name of the sorted list. */
  list: string
  /** `all` unless set. */
  term?: string
  /** The key of a record from the place of its entry, which is its id in most lists. */
  keyOf: (workspaceId: string, place: string) => { pk: string; sk: string }
  /**
   * The items that the table must hold for a record: the record itself in its new form, and entries of lists. It depends on
   * nothing but the record, and what was written once and never changes, so that it may be run any number of times.
   */
  itemsFor: (record: StoredItem) => StoredItem[] | Promise<StoredItem[]>
}

/** The records of an entity that are filed in a list. The place of an entry is the id of its record, or ends with `#` and it. */
export function filedIn(
  list: string,
  items: { get: (key: { workspace_id: string; id: string }) => Operation },
  itemsFor: Source['itemsFor'],
  term?: string,
): Source {
  const keyOf: Source['keyOf'] = (workspace_id, place) =>
    keyIn(items.get({ workspace_id, id: place.slice(place.indexOf('#') + 1) }))
  return { list, keyOf, itemsFor, ...(term !== undefined && { term }) }
}

/** The key in the table of the item that an operation of ElectroDB names. */
export function keyIn(operation: Operation): { pk: string; sk: string } {
  return (operation.params() as { Key: { pk: string; sk: string } }).Key
}

/** The item that an operation of ElectroDB writes. */
export function itemIn(operation: Operation): StoredItem {
  return (operation.params() as { Item: StoredItem }).Item
}

/** The items that actions of a transaction write, each a put. */
export function itemsIn(actions: readonly Action[]): StoredItem[] {
  return actions.map(({ item }) => item.Put?.Item as StoredItem)
}

/** A numbered change of stored forms. It brings a table of the layout before into this one. */
export type Upgrade = {
  layout: number
  /** The name of its file, without the number: `names-and-sides`. */
  name: string
  /** A sentence for operators about its work. */
  says: string
  sources?: (db: Db) => Source[]
  /** Kinds of items that no list names: they are found by a scan of the table. After a crash the scan begins again. */
  scanned?: (db: Db) => Scanned
}

export type Scanned = { kinds: readonly string[] } & (
  | {
      /** The items that the table must hold for a record. They replace the existing ones. */
      itemsFor: (record: StoredItem) => StoredItem[]
    }
  | {
      /**
       * Changes what an item names, on the condition that nobody has changed it meanwhile. It may run again. A dry run
       * changes nothing.
       *
       * @returns whether it changes something, or would in a dry run
       * @throws Stale if somebody has changed it meanwhile: it runs again, a few times
       */
      convert: (item: StoredItem, dryRun: boolean) => Promise<boolean>
    }
)
