import { AsyncLocalStorage } from 'node:async_hooks'
import { concurrencyLimit } from '#kernel/concurrency-limit.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { LogOf } from '#kernel/log.ts'

/** The log for failures of a sweep. */
export type SweepLog = LogOf<'error'>

/** An index of due items, in shards, so that no partition of the table takes all of them. */
export type DueIndex<Item> = {
  /** Its partition keys in the table without the shard; absent if it is not in the table. */
  partition?: string
  shards: readonly string[]
  /**
   * The items due at `at` in a shard, read page by page, on demand. An index that is sorted by time gives the longest
   * due first. Another one gives them in another order, perhaps with items that are not due: the work must check that.
   */
  due: (shard: string, at: Date) => AsyncIterable<Item>
}

const chosen = new AsyncLocalStorage<ReadonlySet<string>>()

/**
 * Runs work whose sweeps visit only these partitions (`envelopes#due#a`). The local clock knows where something is due
 * and skips the rest, so it can move by months in seconds. Every other sweep visits all partitions.
 */
export function sweepingOnly<Result>(partitions: ReadonlySet<string>, work: () => Result): Result {
  return chosen.run(partitions, work)
}

function shardsToVisit({ partition, shards }: DueIndex<unknown>): readonly string[] {
  const partitions = chosen.getStore()
  if (partitions === undefined || partition === undefined) return shards
  return shards.filter((shard) => partitions.has(`${partition}#${shard}`))
}

/**
 * All sweeps of a process together read from 16 shards at a time. If the table does not answer for some seconds, all
 * reads under way fail together, and the SDK repeats at most 35 of them.
 */
const limitedRead = concurrencyLimit(16)

/** The number of items of a shard that are handled before the next waiting shard gets its turn. */
const itemsPerVisit = 25

/**
 * The common part of all sweeps. An item that fails is logged with its ids and counted, and does not delay the others.
 * A shard that cannot be read is logged and counted too. Nothing is begun once `milliseconds` are over: the next sweep
 * continues.
 */
export function sweeping(deps: { name: string; milliseconds: number; log: SweepLog; random?: () => number }) {
  const { name, milliseconds, log, random = Math.random } = deps
  const until = performance.now() + milliseconds
  const isOver = () => performance.now() >= until
  let failed = 0

  const fail = (message: string, fields: Record<string, unknown>, error: unknown): void => {
    failed += 1
    log.error(message, {
      sweep: name,
      ...fields,
      error: error instanceof Error ? error.stack : String(error),
    })
  }

  const tryOne = <Item extends object>(item: Item, work: (item: Item) => Promise<void>): Promise<void> =>
    work(item).catch((error: unknown) => fail('due work failed', idsOf(item), error))

  return {
    isOver,

    /** How many items and shards failed until now. */
    failed: () => failed,

    /**
     * Does the work for the items due at `at`, one by one in each shard. It begins at a random shard, so that a backlog
     * in one shard does not delay the others.
     *
     * @param shardsAtOnce the number of shards that are worked on at the same time
     * @returns how many shards were read; not all of them if the time ran out
     */
    async shards<Item extends object>(
      index: DueIndex<Item>,
      at: Date,
      work: (item: Item) => Promise<void>,
      shardsAtOnce = 16,
    ): Promise<number> {
      const { due } = index
      const shards = shardsToVisit(index)
      const first = Math.floor(random() * shards.length)
      const order = [...shards.slice(first), ...shards.slice(0, first)]
      const waiting: Visited<Item>[] = order.map((shard) => ({ shard, items: undefined }))
      const visited = new Set<string>()

      /** @returns whether the shard may have more items */
      const visit = async (one: Visited<Item>): Promise<boolean> => {
        one.items ??= due(one.shard, at)[Symbol.asyncIterator]()
        const { items } = one
        for (let begun = 0; begun < itemsPerVisit; begun += 1) {
          const next = isOver() ? undefined : await limitedRead(() => items.next())
          if (next === undefined || next.done || isOver()) return false
          await tryOne(next.value, work)
        }
        return true
      }

      const worker = async (): Promise<void> => {
        for (let one = waiting.shift(); one !== undefined && !isOver(); one = waiting.shift()) {
          const { shard } = one
          visited.add(shard)
          const mayHoldMore = await visit(one).catch((error: unknown) => {
            fail('shard not swept', { shard }, error)
            return false
          })
          if (mayHoldMore) waiting.push(one)
        }
      }
      await Promise.all(Array.from({ length: shardsAtOnce }, worker))
      return visited.size
    },

    /** Does the work for items that were read already, in their order. */
    items: <Item extends object>(
      items: readonly Item[],
      work: (item: Item) => Promise<void>,
      atOnce = 4,
    ): Promise<void> =>
      inParallelUpTo(atOnce, items, async (item) => {
        if (!isOver()) await tryOne(item, work)
      }),
  }
}

type Visited<Item> = { shard: string; items: AsyncIterator<Item> | undefined }

/** The ids of an item, for the log: nothing else of it is logged. */
function idsOf(item: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === 'id' || name.endsWith('_id')))
}
