import type { DueIndex } from '#jobs/sweeping.ts'
import { whole } from './db.ts'
import { type DuePartition, shards } from './due-moments.ts'
import { type Action, erase, type Operation, put } from './transact.ts'

/** The shard of an id: its last hexadecimal digit, which spreads the items of an index over 16 partitions. */
export function dueShard(id: string): string {
  return id.slice(-1)
}

/** The key of an item that is due at a time, in an index sorted by time. */
export function dueKey(at: string, id: string): Place {
  return { shard: dueShard(id), place: `${at}#${id}` }
}

/**
 * Eventually consistent reads cost half. An item that they miss is found a minute later. An outdated item does no harm,
 * because the record decides whether it is due.
 */
const pages = { ...whole, consistent: false, limit: 100 } as const

type Page<Stored> = { data: Stored[]; cursor: string | null }

type Query<Stored> = {
  go: (options: typeof pages & { cursor: string | null }) => Promise<Page<Stored>>
}

/** The key of an item of an index that is sorted by time (`due-entity.ts`). */
type Place = { shard: string; place: string }

type TimedItems<Stored> = {
  query: { longestDue: (key: { shard: string }) => { lt: (key: { place: string }) => Query<Stored> } }
}

/**
 * The actions that update an index after a change of a record, for its transaction.
 *
 * @param itemOf the item of a record; undefined if nothing is due
 */
export function dueChanges<Stored, Item extends Place>(
  items: { put: (item: Item) => Operation; delete: (key: Place) => Operation },
  itemOf: (record: Stored) => Item | undefined,
) {
  return (before: Stored | undefined, after: Stored | undefined): Action[] => {
    const [old, now] = [before && itemOf(before), after && itemOf(after)]
    if (old?.place === now?.place) return []
    return [
      ...(old === undefined ? [] : [erase(items.delete({ shard: old.shard, place: old.place }))]),
      ...(now === undefined ? [] : [put(items.put(now))]),
    ]
  }
}

/**
 * An index of due items of all workspaces.
 *
 * @param partition its partition keys without the shard, as in `due-moments.ts`
 * @param queryOf the query for the items of a shard that are due before a time
 * @param itemOf gets items with their keys and with the attributes that their entity does not know (`rewrite.ts`)
 */
export function dueIndex<Stored, Item>(
  partition: DuePartition,
  queryOf: (shard: string, before: Date) => Query<Stored>,
  itemOf: (stored: Stored) => Item,
): DueIndex<Item> {
  return {
    partition,
    shards,
    due: async function* (shard, at) {
      const query = queryOf(shard, new Date(at.getTime() + 1))
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: Page<Stored> = await query.go({ ...pages, cursor: cursor ?? null })
        yield* page.data.map(itemOf)
        cursor = page.cursor
      }
    },
  }
}

/** Like `dueIndex`, for items sorted by time (`due-entity.ts`). */
export function timedIndex<Stored, Item>(
  partition: DuePartition,
  items: TimedItems<Stored>,
  itemOf: (stored: Stored) => Item,
): DueIndex<Item> {
  const queryOf = (shard: string, before: Date) =>
    items.query.longestDue({ shard }).lt({ place: before.toISOString() })
  return dueIndex(partition, queryOf, itemOf)
}

/** The record that an item of such an index names, with the key of the item. */
export function dueRecord({ workspace_id, id, shard, place }: Place & { workspace_id: string; id: string }) {
  return { workspace_id, id, shard, place }
}
