import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { hexDigest } from '#kernel/hex-digest.ts'
import { readAll, writeAll } from './batch.ts'
import type { Db } from './db.ts'
import { type Action, erase, put } from './transact.ts'

/**
 * An entry of a list: some data of a record, filed under a term at a place. `ttl`: the epoch seconds after which DynamoDB
 * may remove it.
 */
export type Entry<Data> = { term: string; place: string; data: Data; ttl?: number }

/** The data of an entry that says no more than its place: a page reads the records that such entries name. */
export type NoData = Record<string, never>

/** The result of a read of a term, in the order of the list. `ended`: the term has no further entries. */
export type Found<Data> = { entries: Placed<Data>[]; ended: boolean }

export type Placed<Data> = { place: string; data: Data }

/**
 * A part of a term: `from` is inclusive, `until` is exclusive. Each is the beginning of a place, such as a time, never
 * a whole place.
 */
export type Range = { from?: string | undefined; until?: string | undefined }

/** The order of places. */
export type Order = 'ascending' | 'descending'

/** An item of a source with its place. */
export type Sourced<Item> = { place: string; item: Item }

/**
 * Returns up to `limit` items of a list after a place, in order. `upTo` is the last place that was read; undefined at
 * the end of the list.
 */
export type Source<Item> = (
  after: string | undefined,
  limit: number,
) => Promise<{ items: Sourced<Item>[]; upTo: string | undefined }>

/** DynamoDB's limit for a partition key, in bytes. */
const maxKeyBytes = 2_048

/** The most entries that a source reads for one page, even if few pass the filter. */
const maxEntriesRead = 1_000

/**
 * A list of a workspace that the table keeps sorted.
 *
 * A record is filed under terms (`open`, `open case=…`, `has:mei`). Each term is a partition, sorted by place. The
 * caller builds the place from the sort value and the record's id. So a page of a list is a range of one partition, or
 * a merge of a few, and its cost does not depend on the number of records.
 *
 * Entries are written and read without ElectroDB, which would add attributes to each of them: DynamoDB charges reads by
 * size, and a page or a feed reads thousands of entries.
 *
 * @param name the list's part of the partition key: `cases`, `due`
 */
export function sortedList<Data>(db: Db, name: string, order: Order) {
  /** The digest of a term replaces it if the key would be too long, as with a name of 500 characters. */
  const partition = (workspaceId: string, term: string) => {
    const key = `${workspaceId}#${name}#${term}`
    return Buffer.byteLength(key) <= maxKeyBytes ? key : `${workspaceId}#${name}#long:${hexDigest(term)}`
  }

  const keyOf = (workspaceId: string, { term, place }: Pick<Entry<Data>, 'term' | 'place'>) => ({
    pk: partition(workspaceId, term),
    sk: place,
  })

  const putOf = (workspaceId: string, entry: Entry<Data>) => ({
    params: () => ({
      TableName: db.table,
      Item: {
        ...keyOf(workspaceId, entry),
        data: JSON.stringify(entry.data),
        ...(entry.ttl !== undefined && { ttl: entry.ttl }),
      },
    }),
  })

  const deleteOf = (workspaceId: string, entry: Pick<Entry<Data>, 'term' | 'place'>) => ({
    params: () => ({ TableName: db.table, Key: keyOf(workspaceId, entry) }),
  })

  const isBefore = (one: string, other: string) => (order === 'ascending' ? one < other : one > other)

  /** The parameters of a Query for the part of a range after `after`; undefined if that is empty. */
  const queryOf = (pk: string, { from, until }: Range, after: string | undefined) => {
    const [first, last] = order === 'ascending' ? [from, until] : [until, from]
    if (from !== undefined && until !== undefined && from >= until) return undefined
    if (after !== undefined && last !== undefined && !isBefore(after, last)) return undefined
    const conditions = [
      '#pk = :pk',
      ...(from !== undefined && until !== undefined ? ['#sk BETWEEN :from AND :until'] : []),
      ...(from !== undefined && until === undefined ? ['#sk >= :from'] : []),
      ...(from === undefined && until !== undefined ? ['#sk < :until'] : []),
    ]
    const startsInside = after !== undefined && (first === undefined || !isBefore(after, first))
    return {
      TableName: db.table,
      KeyConditionExpression: conditions.join(' AND '),
      ProjectionExpression: '#sk, #data',
      ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk', '#data': 'data' },
      ExpressionAttributeValues: {
        ':pk': pk,
        ...(from !== undefined && { ':from': from }),
        ...(until !== undefined && { ':until': until }),
      },
      ScanIndexForward: order === 'ascending',
      ConsistentRead: true,
      ...(startsInside && { ExclusiveStartKey: { pk, sk: after } }),
    }
  }

  /** The first `limit` entries of a term after a place; fewer only at the end of the term. */
  const read = async (
    workspaceId: string,
    term: string,
    { after, ...range }: Range & { after?: string | undefined },
    limit: number,
  ): Promise<Found<Data>> => {
    const query = queryOf(partition(workspaceId, term), range, after)
    const entries: Placed<Data>[] = []
    if (query === undefined) return { entries, ended: true }
    // One Query reads up to a megabyte, which may be fewer entries than the limit.
    for (let start: object = {}; ; ) {
      const { Items = [], LastEvaluatedKey } = await db.client.send(
        new QueryCommand({ ...query, ...start, Limit: limit - entries.length }),
      )
      for (const { sk, data } of Items) entries.push({ place: sk, data: JSON.parse(data) })
      if (LastEvaluatedKey === undefined) return { entries, ended: true }
      if (entries.length >= limit) return { entries, ended: false }
      start = { ExclusiveStartKey: LastEvaluatedKey }
    }
  }

  return {
    read,

    /** The places of the entries that `read` returns. */
    places: async (...part: Parameters<typeof read>): Promise<string[]> =>
      (await read(...part)).entries.map(({ place }) => place),

    /** All entries of a term. @param atOnce how many are read at once */
    async *all(workspaceId: string, term: string, atOnce: number): AsyncGenerator<Placed<Data>[]> {
      for (let after: string | undefined; ; ) {
        const { entries, ended } = await read(workspaceId, term, { after }, atOnce)
        yield entries
        if (ended) return
        after = entries.at(-1)?.place
      }
    },

    /**
     * A part of a term as a source of the items that `itemOf` returns. Entries for which it returns undefined are
     * skipped.
     */
    source<Item>(
      workspaceId: string,
      term: string,
      range: Range,
      itemOf: (entry: Placed<Data>) => Item | undefined,
    ): Source<Item> {
      return async (after, limit) => {
        const items: Sourced<Item>[] = []
        // If few entries pass, each read takes twice as many as the one before.
        for (let last = after, seen = 0, size = limit; ; size = Math.min(2 * size, maxEntriesRead - seen)) {
          const { entries, ended } = await read(workspaceId, term, { ...range, after: last }, size)
          for (const [at, entry] of entries.entries()) {
            const item = itemOf(entry)
            if (item !== undefined) items.push({ place: entry.place, item })
            const isLast = ended && at === entries.length - 1
            if (items.length === limit && !isLast) return { items, upTo: entry.place }
          }
          if (ended) return { items, upTo: undefined }
          last = entries.at(-1)?.place
          seen += entries.length
          if (seen >= maxEntriesRead) return { items, upTo: last }
        }
      }
    },

    /** The data at these places of a term, by place; a place without an entry is left out. */
    async at(workspaceId: string, term: string, places: string[]): Promise<Map<string, Data>> {
      const keys = places.map((place) => deleteOf(workspaceId, { term, place }))
      const items = keys.length === 0 ? [] : await readAll(db, keys, ['sk', 'data'])
      return new Map(items.map(({ sk, data }) => [sk as string, JSON.parse(data as string)]))
    },

    /**
     * The actions, for the transaction of the record, that replace the entries `before` with `after`. Unchanged entries
     * need no action.
     */
    changes(workspaceId: string, before: Entry<Data>[], after: Entry<Data>[]): Action[] {
      const stored = new Map(before.map((entry) => [nameOf(entry), JSON.stringify(entry.data)]))
      const remaining = new Set(after.map(nameOf))
      return [
        ...before
          .filter((entry) => !remaining.has(nameOf(entry)))
          .map((entry) => erase(deleteOf(workspaceId, entry))),
        ...after
          .filter((entry) => stored.get(nameOf(entry)) !== JSON.stringify(entry.data))
          .map((entry) => put(putOf(workspaceId, entry))),
      ]
    },

    /**
     * The action that replaces the data of an entry, or removes the entry. It throws Stale if the data changed since it
     * was read.
     */
    replacement(workspaceId: string, before: Entry<Data>, data: Data | undefined): Action {
      const change =
        data === undefined ? deleteOf(workspaceId, before) : putOf(workspaceId, { ...before, data })
      const asRead = {
        ConditionExpression: '#data = :data',
        ExpressionAttributeNames: { '#data': 'data' },
        ExpressionAttributeValues: { ':data': JSON.stringify(before.data) },
      }
      const operation = { params: () => ({ ...change.params(), ...asRead }) }
      return data === undefined ? erase(operation) : put(operation)
    },

    /**
     * Writes and removes entries without a transaction, in any order. @throws Failure 503; some may be written by then
     */
    write(
      workspaceId: string,
      entries: Entry<Data>[],
      gone: Pick<Entry<Data>, 'term' | 'place'>[],
    ): Promise<void> {
      return writeAll(
        db,
        entries.map((entry) => putOf(workspaceId, entry)),
        gone.map((entry) => deleteOf(workspaceId, entry)),
      )
    },
  }
}

/** A sorted list of records, each filed under the entries that `entriesOf` returns. */
export function filedList<Stored extends { workspace_id: string }, Data>(
  db: Db,
  name: string,
  order: Order,
  entriesOf: (record: Stored) => Entry<Data>[],
) {
  const list = sortedList<Data>(db, name, order)
  return {
    ...list,

    /** The actions of a change, an addition (`before` undefined) or a removal, for the transaction of the record. */
    changes: (before: Stored | undefined, after?: Stored): Action[] =>
      list.changes(
        workspaceOf(before, after),
        before ? entriesOf(before) : [],
        after ? entriesOf(after) : [],
      ),
  }
}

/** The workspace of a record that is changed, added or removed. */
export function workspaceOf<Stored extends { workspace_id: string }>(
  before: Stored | undefined,
  after: Stored | undefined,
): string {
  return (after ?? before)?.workspace_id ?? ''
}

/**
 * Merges several ascending sources: the next `limit` items, each id once, and the place to continue after (undefined at
 * the end). If a source stopped before its end, items after its `upTo` wait for the next page.
 */
export async function mergeSources<Item extends { id: string }>(
  sources: Source<Item>[],
  after: string | undefined,
  limit: number,
): Promise<{ items: Item[]; next: string | undefined }> {
  const results = await Promise.all(sources.map((source) => source(after, limit + 1)))
  const [bound] = results.flatMap(({ upTo }) => (upTo === undefined ? [] : [upTo])).toSorted()
  const sorted = results
    .flatMap(({ items }) => items)
    .filter(({ place }) => bound === undefined || place <= bound)
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
  const ids = new Set<string>()
  const distinct = sorted.filter(({ item: { id } }) => !ids.has(id) && ids.add(id))
  const page = distinct.slice(0, limit)
  const next = distinct.length > limit ? page.at(-1)?.place : bound
  return { items: page.map(({ item }) => item), next }
}

function nameOf({ term, place }: Pick<Entry<unknown>, 'term' | 'place'>): string {
  return `${term}\n${place}`
}
