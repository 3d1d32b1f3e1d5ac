import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { readAll, writeAll } from './batch.ts'
import type { Db } from './db.ts'
import { type Action, erase, put } from './transact.ts'

/** An entry of a list: a record stands under a term at a place, and the list holds some data of it there. */
export type Entry<Data> = { term: string; place: string; data: Data }

/** What a read of a term found, in the order of the list. `ended`: the term has no more. */
export type Found<Data> = { entries: Placed<Data>[]; ended: boolean }

export type Placed<Data> = { place: string; data: Data }

/**
 * The part of a term between two limits: from the first on, and before the second. A limit is the beginning of a
 * place, such as a time, and never a whole place.
 */
export type Range = { from?: string | undefined; until?: string | undefined }

/** Which places come first. */
export type Order = 'ascending' | 'descending'

/** An item that a source found at a place of its list. */
export type Sourced<Item> = { place: string; item: Item }

/**
 * Gives items of a list after a place, in order: `limit` of them, or fewer. `upTo` is the last place that it looked at;
 * undefined where the list has no more.
 */
export type Source<Item> = (
  after: string | undefined,
  limit: number,
) => Promise<{ items: Sourced<Item>[]; upTo: string | undefined }>

/** How many entries a source reads for one page before it gives what it has, so that no filter reads on and on. */
const maxEntriesRead = 1_000

/**
 * A list of a workspace that the table keeps sorted.
 *
 * A record is filed under terms (`open`, `open case=…`, `has:mei`). Each term is a partition, sorted by place: a
 * string that the caller builds from what the list is sorted by, and that ends with the record's id. So a page of
 * a list is one range of one partition, or a merge of a few, and its cost does not depend on how many records
 * there are.
 *
 * The entries are written and read without ElectroDB, which would add attributes to each of them: DynamoDB charges
 * reads by size, and a page or a feed reads thousands of entries.
 *
 * @param name the list's part of the partition key: `cases`, `due`
 */
export function sortedList<Data>(db: Db, name: string, order: Order) {
  const partition = (workspaceId: string, term: string) => `${workspaceId}#${name}#${term}`

  const keyOf = (workspaceId: string, { term, place }: Pick<Entry<Data>, 'term' | 'place'>) => ({
    pk: partition(workspaceId, term),
    sk: place,
  })

  const putOf = (workspaceId: string, entry: Entry<Data>) => ({
    params: () => ({
      TableName: db.table,
      Item: { ...keyOf(workspaceId, entry), data: JSON.stringify(entry.data) },
    }),
  })

  const deleteOf = (workspaceId: string, entry: Pick<Entry<Data>, 'term' | 'place'>) => ({
    params: () => ({ TableName: db.table, Key: keyOf(workspaceId, entry) }),
  })

  const isBefore = (one: string, other: string) => (order === 'ascending' ? one < other : one > other)

  /** The parameters of a Query of a range; undefined where nothing of it comes after `after`. */
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

  /** The first `limit` entries of a term after a place; fewer only where it has no more. */
  const read = async (
    workspaceId: string,
    term: string,
    { after, ...range }: Range & { after?: string | undefined },
    limit: number,
  ): Promise<Found<Data>> => {
    const query = queryOf(partition(workspaceId, term), range, after)
    const entries: Placed<Data>[] = []
    if (query === undefined) return { entries, ended: true }
    // One Query reads a megabyte at most, which can be less than the limit.
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

    /** A part of a term as a source: what `itemOf` makes of its entries, without those it makes nothing of. */
    source<Item>(
      workspaceId: string,
      term: string,
      range: Range,
      itemOf: (entry: Placed<Data>) => Item | undefined,
    ): Source<Item> {
      return async (after, limit) => {
        const items: Sourced<Item>[] = []
        for (let last = after, seen = 0; ; ) {
          const { entries, ended } = await read(
            workspaceId,
            term,
            { ...range, after: last },
            limit - items.length,
          )
          for (const entry of entries) {
            const item = itemOf(entry)
            if (item !== undefined) items.push({ place: entry.place, item })
          }
          if (ended) return { items, upTo: undefined }
          last = entries.at(-1)?.place
          seen += entries.length
          if (items.length >= limit || seen >= maxEntriesRead) return { items, upTo: last }
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
     * The actions, for the record's own transaction, that turn its entries `before` into those `after`. Entries that
     * stay as they are cost nothing.
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

    /** Writes and removes entries outside a transaction, in any order. @throws Failure 503; some may be written then */
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

/**
 * The next `limit` items of several ascending sources as one list, each id once, and the place to go on after
 * (undefined: nothing follows). Where a source stopped looking, nothing is given that an item of it might precede.
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
