import type { DueIndex } from '#jobs/sweeping.ts'

/** A time after every due time. */
export const endOfTime = new Date('2100-01-01T00:00:00.000Z')

/** Everything that is due, in these shards. */
export async function allDue<Item>(
  { due, shards }: DueIndex<Item>,
  at = endOfTime,
  inShards: Iterable<string> = shards,
): Promise<Item[]> {
  const found: Item[] = []
  for (const shard of inShards) for await (const item of due(shard, at)) found.push(item)
  return found
}

/** The same index for a sweep that must not touch records of other tests. */
export function only<Item>({ due, shards }: DueIndex<Item>, isOurs: (item: Item) => boolean): DueIndex<Item> {
  return {
    shards,
    due: async function* (shard, at) {
      for await (const item of due(shard, at)) if (isOurs(item)) yield item
    },
  }
}
