import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Entity, ResponseItem, Schema } from 'electrodb'
import { inParallel } from '#kernel/in-parallel.ts'
import type { Db } from './db.ts'
import { projectionOf } from './pages-of.ts'
import { type Operation, pause } from './transact.ts'

type Key = Record<string, unknown>

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** DynamoDB's limits for one batch: items to write, and items to read. */
const maxWrites = 25
const maxReads = 100

/**
 * Runs these `Entity.put`s and `Entity.delete`s in any order. Writes that the table throttles are repeated.
 *
 * @throws Failure 503 at the time limit. Some items may be written by then, so use it only for writes that can be
 *   repeated.
 */
export async function writeAll(db: Db, puts: Operation[], deletes: Operation[] = []): Promise<void> {
  const requests: WriteRequest[] = [
    ...puts.map((operation) => ({ PutRequest: { Item: (operation.params() as { Item: Key }).Item } })),
    ...deletes.map((operation) => ({ DeleteRequest: { Key: keyOf(operation) } })),
  ]
  await inParallel(chunks(requests, maxWrites), async (chunk) => {
    for (let left = chunk, attempt = 0; left.length > 0; attempt += 1) {
      if (attempt > 0) await pause(attempt + 2)
      const { UnprocessedItems } = await db.client.send(
        new BatchWriteCommand({ RequestItems: { [db.table]: left } }),
      )
      left = UnprocessedItems?.[db.table] ?? []
    }
  })
}

/**
 * Reads the items of these `Entity.get`s, strongly consistent, in any order. Items that do not exist are left out. An item
 * that is named twice is read once: DynamoDB refuses a batch that names a key twice.
 *
 * @param fields the attributes to read; all of them if omitted
 */
export async function readAll(db: Db, gets: Operation[], fields?: readonly string[]): Promise<Key[]> {
  const items: Key[] = []
  const keys: Key[] = [...byKey(gets.map(keyOf)).values()]
  await inParallel(chunks(keys, maxReads), async (chunk) => {
    for (let left = chunk, attempt = 0; left.length > 0; attempt += 1) {
      if (attempt > 0) await pause(attempt + 2)
      const { Responses, UnprocessedKeys } = await db.client.send(
        new BatchGetCommand({
          RequestItems: { [db.table]: { Keys: left, ConsistentRead: true, ...projectionOf(fields) } },
        }),
      )
      items.push(...(Responses?.[db.table] ?? []))
      left = UnprocessedKeys?.[db.table]?.Keys ?? []
    }
  })
  return items
}

/** Writes an item for each of these; `operationOf` returns its `Entity.put`. @throws as `writeAll` */
export function putEach<Item>(
  db: Db,
  items: readonly Item[],
  operationOf: (item: Item) => Operation,
): Promise<void> {
  return writeAll(db, items.map(operationOf))
}

/** Removes an item for each of these; `operationOf` returns its `Entity.delete`. @throws as `writeAll` */
export function eraseEach<Item>(
  db: Db,
  items: readonly Item[],
  operationOf: (item: Item) => Operation,
): Promise<void> {
  return writeAll(db, [], items.map(operationOf))
}

/** Removes the items with these keys, some of which may be named twice. @throws as `writeAll` */
export function eraseKeys(db: Db, keys: readonly ItemKey[]): Promise<void> {
  return eraseEach(db, [...byKey(keys).values()], keyed)
}

/** Reads an item for each of these like `readAll`; `operationOf` returns its `Entity.get`. */
export function readEach<Item>(
  db: Db,
  items: readonly Item[],
  operationOf: (item: Item) => Operation,
  fields?: readonly string[],
): Promise<Key[]> {
  return readAll(db, items.map(operationOf), fields)
}

/**
 * The reads of records that differ only in their ids, for `readAll`. ElectroDB takes a tenth of a millisecond for a
 * key. So it builds one key, and the others are copies with another id.
 *
 * @throws Error if a key does not contain the id unchanged
 */
export function getsById(ids: readonly string[], get: (id: string) => Operation): Operation[] {
  const [first] = ids
  if (first === undefined || ids.length <= 2) return ids.map(get)
  const pattern = Object.entries(keyOf(get(placeholder)) as Record<string, string>)
  const keyFor = (id: string): Key =>
    Object.fromEntries(pattern.map(([name, value]) => [name, value.replaceAll(placeholder, () => id)]))
  if (JSON.stringify(keyFor(first)) !== JSON.stringify(keyOf(get(first))))
    throw new Error('The key of a record does not contain its id unchanged.')
  return ids.map((id) => ({ params: () => ({ Key: keyFor(id) }) }))
}

/** The items with these ids in a workspace, including deleted ones, in no particular order. */
export async function readById<Name extends string, Shape extends Schema<Name, string, string>>(
  db: Db,
  items: Entity<Name, string, string, Shape>,
  workspace_id: string,
  ids: readonly string[],
): Promise<ResponseItem<Name, string, string, Shape>[]> {
  const known = items as unknown as Items<ResponseItem<Name, string, string, Shape>>
  const gets = getsById(ids, (id) => known.get({ workspace_id, id }))
  return (await readAll(db, gets)).flatMap((Item) => known.parse({ Item }).data ?? [])
}

/** These attributes of the items with these ids in a workspace, including deleted ones, by their ids. */
export async function fieldsById<
  Name extends string,
  Shape extends Schema<Name, string, string>,
  const Field extends keyof ResponseItem<Name, string, string, Shape> & string,
>(
  db: Db,
  items: Entity<Name, string, string, Shape>,
  workspace_id: string,
  ids: readonly string[],
  fields: readonly Field[],
): Promise<Map<string, Pick<ResponseItem<Name, string, string, Shape>, Field>>> {
  const known = items as unknown as Items<unknown>
  const gets = getsById(ids, (id) => known.get({ workspace_id, id }))
  const found = await readAll(db, gets, [...new Set(['id', ...fields])])
  return new Map(found.map((item) => [String(item.id), item as never]))
}

type Items<Item> = {
  get: (key: { workspace_id: string; id: string }) => Operation
  parse: (response: { Item: object }) => { data: Item | null }
}

/** The key of an item. */
export type ItemKey = { pk?: unknown; sk?: unknown }

/** An operation on the item with this key, for `readEach`. */
export function keyed({ pk, sk }: ItemKey): Operation {
  return { params: () => ({ Key: { pk, sk } }) }
}

/** Items by their keys (`nameOf`). */
export function byKey<Item extends ItemKey>(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [nameOf(item), item]))
}

/** The key of an item as a text. */
export function nameOf({ pk, sk }: ItemKey): string {
  return JSON.stringify([pk, sk])
}

/** No id contains this. */
const placeholder = '{id}'

function keyOf(operation: Operation): Key {
  return (operation.params() as { Key: Key }).Key
}

/** Splits items into groups of up to `size`, in their order. */
export function chunks<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
