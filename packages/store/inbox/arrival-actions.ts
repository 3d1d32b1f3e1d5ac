import type { InboxKind } from '#inbox/schema.ts'
import type { InboxState } from '#inbox/state-schema.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import { type Listed, recordList } from '../search.ts'
import { type Action, erase } from '../transact.ts'
import { arrivalWatch } from './arrival-watch-entity.ts'
import { watchKey } from './arrival-watches.ts'

/** A record as the inbox sees it. */
export type Arrived = {
  workspace_id: string
  id: string
  created_at: string
  kind: InboxKind
  inbox: InboxState | null
  /** Whether it is in the list. */
  isListed: boolean
  /** Of a beA message: its attachments are yet to follow it into a case. */
  isFiling?: boolean
  /** Of a beA message the filter value of the right that shows it (`bea-message-records.ts`). */
  seen?: string
}

/** The data of a record in the list of the inbox: a page reads the records themselves. */
export type ListedArrival = { id: string; kind: InboxKind }

/**
 * The actions in the transactions of records that arrive: their entries in the list of the inbox, and their watches.
 */
export function arrivalActions({ db, cursors }: { db: Db; cursors: Cursors }) {
  const watches = arrivalWatch(db)
  const list = recordList(db, cursors, 'inbox', listed)

  const watchChanges = (before: Arrived | undefined, after: Arrived | undefined): Action[] => {
    const [waited, waits] = [isWaiting(before), isWaiting(after)]
    if (after !== undefined && waits && !(waited && before?.isFiling === after.isFiling)) {
      const { workspace_id, id, created_at } = after
      return [rewrite(watches, watches.put({ ...watchKey(id), workspace_id, sent_at: created_at }), {})]
    }
    return before !== undefined && waited && !waits ? [erase(watches.delete(watchKey(before.id)))] : []
  }

  return {
    list,

    /** The actions that follow a change of a record; `after` is undefined if it is deleted. */
    changes: (before: Arrived | undefined, after: Arrived | undefined): Action[] => [
      ...list.changes(before, after),
      ...watchChanges(before, after),
    ],

    /** Those of them that are not of the list. */
    watchChanges,

    /** The actions that write its entries, or remove all possible entries without reading them. */
    entries(record: Arrived): Action[] {
      if (record.inbox === null) return []
      const entry = { ...record, isListed: true }
      return record.isListed ? list.changes(undefined, entry) : list.changes(entry, undefined)
    },
  }
}

function isWaiting(record: Arrived | undefined): boolean {
  return record !== undefined && (record.isFiling === true || record.inbox?.is_judged === false)
}

/** Sorted by the time at which it came into the inbox. */
function listed(record: Arrived): Listed | undefined {
  const { id, kind, inbox, isListed, seen = null } = record
  if (inbox === null || !isListed) return undefined
  const { at, category, assigned_to } = inbox
  const summary: ListedArrival = { id, kind }
  // A record that only some users may see is listed by the right that shows it.
  const filters = { kind: seen === null ? kind : null, category, assigned_to, seen }
  return { id: `${at}#${id}`, summary, filters, texts: [] }
}
