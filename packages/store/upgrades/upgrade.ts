import type { Db } from '../db.ts'

/** An item as it lies in the table. */
export type Item = Record<string, unknown> & { pk: string; sk: string }

/**
 * How the records of one list come into the form of a newer layout (U1). It takes the records with an entry under the
 * list's term `all`. Each is read, and written back only if nobody changed it meanwhile.
 */
export type Source = {
  /** The name of the sorted list. */
  list: string
  /** The key of a record. */
  keyOf: (workspaceId: string, id: string) => { pk: string; sk: string }
  /**
   * The items that the table must hold for a record: the record itself in its new form, and entries of lists. It depends on
   * nothing but the record, so that it may be run any number of times.
   */
  itemsFor: (record: Item) => Item[]
}

/** A numbered change of stored forms. It brings a table of the layout before into this one. */
export type Upgrade = {
  layout: number
  /** The name of its file, without the number: `names-and-sides`. */
  name: string
  /** A sentence for operators about its work. */
  says: string
  sources: (db: Db) => Source[]
}
