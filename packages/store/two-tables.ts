import { isDeepStrictEqual } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { chunks, readAll, writeAll } from './batch.ts'
import type { Db } from './db.ts'

/** An item of any kind, as it lies in the table. */
type Item = Record<string, unknown> & { pk: string; sk: string }

/** Which items count: only items of these kinds, and of this workspace. Absent: all. */
export type ItemFilter = { kinds?: readonly string[]; workspaceId?: string }

/** How many items of a kind differ. */
export type Difference = { missing: number; changed: number; surplus: number }

const keyFields = ['pk', 'sk', 'workspace_id', '__edb_e__']
const itemsAtOnce = 100

/**
 * Compares a table with another one of the same service, such as one that was restored, and copies between them. It scans
 * both, which no request of the service does. Kinds are the names of entities: `case`, `apikey`.
 */
export function twoTables({ client, from, to }: { client: Db['client']; from: string; to: string }) {
  const [source, target] = [
    { client, table: from },
    { client, table: to },
  ]

  /** What `to` must get, and what it has that `from` has not, a few items at a time. */
  async function* differences(
    filter: ItemFilter,
  ): AsyncGenerator<{ missing: Item[]; changed: Item[]; surplus: Item[] }> {
    for await (const items of scan(source, filter)) {
      const there = byKey(await readAll(target, items.map(operationOf)))
      const missing = items.filter((item) => !there.has(keyOf(item)))
      const changed = items.filter((item) => {
        const other = there.get(keyOf(item))
        return other !== undefined && !isDeepStrictEqual(item, other)
      })
      yield { missing, changed, surplus: [] }
    }
    for await (const items of scan(target, filter, keyFields)) {
      const there = byKey(await readAll(source, items.map(operationOf), ['pk', 'sk']))
      yield { missing: [], changed: [], surplus: items.filter((item) => !there.has(keyOf(item))) }
    }
  }

  return {
    /**
     * The number of items of each kind that `to` does not have, has with other values, or has in addition to `from`.
     * Kinds without a difference are left out.
     */
    async compare(filter: ItemFilter = {}): Promise<Record<string, Difference>> {
      const kinds: Record<string, Difference> = {}
      for await (const found of differences(filter))
        for (const which of ['missing', 'changed', 'surplus'] as const)
          for (const item of found[which]) {
            const kind = kindOf(item)
            kinds[kind] ??= { missing: 0, changed: 0, surplus: 0 }
            kinds[kind][which] += 1
          }
      return kinds
    },

    /**
     * Makes the items in `to` equal to those in `from`: adds, replaces and removes. With `onlyMissing` it only adds. Run
     * again after an interruption, it does what is left.
     */
    async copy(
      filter: ItemFilter,
      { onlyMissing }: { onlyMissing: boolean },
    ): Promise<{ added: number; replaced: number; removed: number }> {
      const done = { added: 0, replaced: 0, removed: 0 }
      for await (const { missing, changed, surplus } of differences(filter)) {
        const [replaced, removed] = onlyMissing ? [[], []] : [changed, surplus]
        await writeAll(
          target,
          [...missing, ...replaced].map((Item) => ({ params: () => ({ Item }) })),
          removed.map(operationOf),
        )
        done.added += missing.length
        done.replaced += replaced.length
        done.removed += removed.length
      }
      return done
    },
  }
}

/** The items of a table, a hundred at a time. */
async function* scan(
  { client, table }: Db,
  { kinds, workspaceId }: ItemFilter,
  fields?: readonly string[],
): AsyncGenerator<Item[]> {
  const projection = fields && {
    ProjectionExpression: fields.map((_, at) => `#${at}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(fields.map((field, at) => [`#${at}`, field])),
  }
  const counts = (item: Item): boolean =>
    (kinds === undefined || kinds.includes(kindOf(item))) &&
    (workspaceId === undefined || item.workspace_id === workspaceId || item.pk.startsWith(`${workspaceId}#`))
  for (let start: object = {}; ; ) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: table, ConsistentRead: true, ...projection, ...start }),
    )
    yield* chunks((Items as Item[]).filter(counts), itemsAtOnce)
    if (LastEvaluatedKey === undefined) return
    start = { ExclusiveStartKey: LastEvaluatedKey }
  }
}

function byKey(items: Record<string, unknown>[]): Map<string, Record<string, unknown>> {
  return new Map(items.map((item) => [keyOf(item as Item), item]))
}

function keyOf({ pk, sk }: Pick<Item, 'pk' | 'sk'>): string {
  return JSON.stringify([pk, sk])
}

/** An operation on the item, of which `batch.ts` uses the key. */
function operationOf({ pk, sk }: Item) {
  return { params: () => ({ Key: { pk, sk } }) }
}

function kindOf(item: Item): string {
  return String(item.__edb_e__)
}
