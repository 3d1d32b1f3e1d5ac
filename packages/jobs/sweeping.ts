import { AsyncLocalStorage } from 'node:async_hooks'
import { concurrencyLimit } from '#kernel/concurrency-limit.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { LogOf } from '#kernel/log.ts'

/** The log of a sweep. */
export type SweepLog = LogOf<'error'>

/** An index of due items. Its shards spread them over several partitions of the table. */
export type DueIndex<Item> = {
  /**
   * The partition key in the table without the shard, such as `envelopes#due`; absent if the index is not in the table.
   */
  partition?: string
  shards: readonly string[]
  /**
   * The items of a shard that are due at `at`, read page by page on demand. In an index that is sorted by time, the
   * item that became due first comes first. Another index has no such order, and may include items that are not due:
   * the work must check that.
   */
  due: (shard: string, at: Date) => AsyncIterable<Item>
}

const chosenPartitions = new AsyncLocalStorage<ReadonlySet<string>>()

/**
 * Runs `work`, whose sweeps read only these partitions, such as `envelopes#due#a`. The local clock knows which
 * partitions have due items and skips the others, so it can move by months in seconds. All other sweeps read every
 * partition.
 */
export function sweepingOnly<Result>(partitions: ReadonlySet<string>, work: () => Result): Result {
  return chosenPartitions.run(partitions, work)
}

function shardsToRead({ partition, shards }: DueIndex<unknown>): readonly string[] {
  const partitions = chosenPartitions.getStore()
  if (partitions === undefined || partition === undefined) return shards
  return shards.filter((shard) => partitions.has(`${partition}#${shard}`))
}

/**
 * If the table does not answer for some seconds, all current reads fail, and the SDK repeats at most 35 failed reads.
 * So all sweeps of a process together read from only 16 shards at a time.
 */
const limitedRead = concurrencyLimit(16)

/** The number of items of a shard that are handled before the next shard has its turn. */
const itemsPerTurn = 25

/**
 * The common part of all sweeps. If an item fails or a shard cannot be read, the failure is logged and counted, and the
 * sweep goes on. After `milliseconds` the sweep begins no more work.
 */
export function sweeping(deps: { name: string; milliseconds: number; log: SweepLog; random?: () => number }) {
  const { name, milliseconds, log, random = Math.random } = deps
  const endsAt = performance.now() + milliseconds
  const isOver = () => performance.now() >= endsAt
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
    /** Whether the time of the sweep is over. */
    isOver,

    /** The number of items and shards that have failed until now. */
    failed: () => failed,

    /**
     * Does `work` for each item that is due at `at`. The items of a shard are handled one by one. It begins at a random
     * shard, and takes turns, so that a backlog in one shard does not delay the others.
     *
     * @param shardsAtOnce the number of shards that are handled at the same time
     * @returns the number of shards that it began to read; smaller than their total if the time ran out
     */
    async eachDue<Item extends object>(
      index: DueIndex<Item>,
      at: Date,
      work: (item: Item) => Promise<void>,
      shardsAtOnce = 16,
    ): Promise<number> {
      const { due } = index
      const shards = shardsToRead(index)
      const first = Math.floor(random() * shards.length)
      const order = [...shards.slice(first), ...shards.slice(0, first)]
      const waiting: OpenShard<Item>[] = order.map((shard) => ({ shard, items: undefined }))
      const begun = new Set<string>()

      /** Handles the next items of a shard. @returns whether it may have more */
      const takeTurn = async (one: OpenShard<Item>): Promise<boolean> => {
        one.items ??= due(one.shard, at)[Symbol.asyncIterator]()
        const { items } = one
        for (let handled = 0; handled < itemsPerTurn; handled += 1) {
          const next = isOver() ? undefined : await limitedRead(() => items.next())
          if (next === undefined || next.done || isOver()) return false
          await tryOne(next.value, work)
        }
        return true
      }

      const worker = async (): Promise<void> => {
        for (let one = waiting.shift(); one !== undefined && !isOver(); one = waiting.shift()) {
          const { shard } = one
          begun.add(shard)
          const mayHaveMore = await takeTurn(one).catch((error: unknown) => {
            fail('shard not swept', { shard }, error)
            return false
          })
          if (mayHaveMore) waiting.push(one)
        }
      }
      await Promise.all(Array.from({ length: shardsAtOnce }, worker))
      return begun.size
    },

    /** Does `work` for items that were read already: for `atOnce` items at a time, in their order. */
    each: <Item extends object>(
      items: readonly Item[],
      work: (item: Item) => Promise<void>,
      atOnce = 4,
    ): Promise<void> =>
      inParallelUpTo(atOnce, items, async (item) => {
        if (!isOver()) await tryOne(item, work)
      }),
  }
}

/** A shard, with its items once it was first read. */
type OpenShard<Item> = { shard: string; items: AsyncIterator<Item> | undefined }

/** The ids of an item for the log, which gets no other data of it. */
function idsOf(item: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name === 'id' || name.endsWith('_id')))
}
