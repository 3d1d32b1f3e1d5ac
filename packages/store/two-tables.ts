import { isDeepStrictEqual } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { byKey, chunks, keyed, nameOf, readEach, writeAll } from './batch.ts'
import type { Db } from './db.ts'
import { pagesOf, projectionOf, type StoredItem } from './pages-of.ts'

/** Limits items to these kinds and this workspace. Absent: all. */
export type ItemFilter = { kinds?: readonly string[]; workspaceId?: string }

/** How many items of a kind differ. */
export type Difference = { missing: number; changed: number; surplus: number }

const keyFields = ['pk', 'sk', 'workspace_id', '__edb_e__']
const itemsAtOnce = 100

/**
 * Compares a table with another table of the service, such as a restored one, and copies between them. It scans both,
 * which no request does. Kinds are the names of entities (`case`, `apikey`) and of lists (`cases`, `bea_drafts`).
 */
export function twoTables({ client, from, to }: { client: Db['client']; from: string; to: string }) {
  const [source, target] = [
    { client, table: from },
    { client, table: to },
  ]

  /** The items that `to` must get, and the items that only `to` has, a few at a time. */
  async function* differences(
    filter: ItemFilter,
  ): AsyncGenerator<{ missing: StoredItem[]; changed: StoredItem[]; surplus: StoredItem[] }> {
    for await (const items of scan(source, filter)) {
      const there = byKey(await readEach(target, items, keyed))
      const missing = items.filter((item) => isMissing(item, there.get(nameOf(item))))
      const changed = items.filter((item) => {
        const other = there.get(nameOf(item))
        return !isMissing(item, other) && !isDeepStrictEqual(item, other)
      })
      yield { missing, changed, surplus: [] }
    }
    for await (const items of scan(target, filter, keyFields)) {
      const there = byKey(await readEach(source, items, keyed, ['pk', 'sk']))
      yield { missing: [], changed: [], surplus: items.filter((item) => !there.has(nameOf(item))) }
    }
  }

  return {
    /**
     * The number of items of each kind that are missing in `to`, differ from `from`, or are only in `to`. Kinds without
     * a difference are left out. A record that is deleted only in `to` is missing.
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
     * Makes the items in `to` equal to the items in `from`: adds, replaces and removes. After an interruption, run it
     * again to do the rest.
     */
    async copy(filter: ItemFilter): Promise<{ added: number; replaced: number; removed: number }> {
      const done = { added: 0, replaced: 0, removed: 0 }
      for await (const { missing, changed, surplus } of differences(filter)) {
        await writeAll(
          target,
          [...missing, ...changed].map((Item) => ({ params: () => ({ Item }) })),
          surplus.map(keyed),
        )
        done.added += missing.length
        done.replaced += changed.length
        done.removed += surplus.length
      }
      return done
    },
  }
}

/** The items of a table, a hundred at a time. */
export async function* scan(
  { client, table }: Db,
  { kinds, workspaceId }: ItemFilter,
  fields?: readonly string[],
): AsyncGenerator<StoredItem[]> {
  const counts = (item: StoredItem): boolean =>
    (kinds === undefined || kinds.includes(kindOf(item))) &&
    (workspaceId === undefined || item.workspace_id === workspaceId || item.pk.startsWith(`${workspaceId}#`))
  const scanned = { TableName: table, ConsistentRead: true, ...projectionOf(fields) }
  const pages = pagesOf((start) => client.send(new ScanCommand({ ...scanned, ...start })))
  for await (const { Items = [] } of pages) yield* chunks((Items as StoredItem[]).filter(counts), itemsAtOnce)
}

/** The entity of an item; of an entry of a list, the name of the list. */
export function kindOf({ pk, __edb_e__ }: StoredItem): string {
  return String(__edb_e__ ?? pk.replace(/^ws_[^#]+#/, '').split('#')[0])
}

/** Whether a record was deleted: it stays for the audit (G13). An event is stored as JSON. */
export function isDeleted({ __edb_e__, deleted_at, record }: Record<string, unknown>): boolean {
  if (__edb_e__ === 'event') return JSON.parse(String(record)).deleted_at !== null
  return deleted_at !== undefined
}

function isMissing(item: StoredItem, other: Record<string, unknown> | undefined): boolean {
  return other === undefined || (isDeleted(other) && !isDeleted(item))
}
