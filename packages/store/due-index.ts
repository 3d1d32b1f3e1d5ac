import type { DueIndex } from '#jobs/sweeping.ts'
import { whole } from './db.ts'

/** The last hexadecimal digit of an id. It spreads the items of an index over 16 partitions. */
export function dueShard(id: string): string {
  return id.slice(-1)
}

const shards = [...'0123456789abcdef']

/**
 * Eventually consistent reads cost half. What they miss is found a minute later, and what they show too late does no harm:
 * what is due is decided on the record.
 */
const pages = { ...whole, consistent: false, limit: 100 } as const

type Page<Stored> = { data: Stored[]; cursor: string | null }

type Query<Stored> = {
  go: (options: typeof pages & { cursor: string | null }) => Promise<Page<Stored>>
}

/**
 * An index of what is due, of all workspaces.
 *
 * @param queryOf what is due before a moment in a shard
 * @param itemOf is given items with their keys, and with the attributes that their entity does not know (`rewrite.ts`)
 */
export function dueIndex<Stored, Item>(
  queryOf: (shard: string, before: Date) => Query<Stored>,
  itemOf: (stored: Stored) => Item,
): DueIndex<Item> {
  return {
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
