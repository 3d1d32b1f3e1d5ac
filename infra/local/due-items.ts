import { DatabaseSync } from 'node:sqlite'
import { type DuePartition, dueMoments, jobShards, type StoredDue, shards } from '#store/due-moments.ts'

/** An item of an index of due items. `at` is when it is due; `key` is different each time that it becomes due. */
type DueItem = { key: string; at: number; partition: string }

/** The items that become due over time, read from the file of the table. */
export type DueItems = {
  /**
   * The item that is due first, up to a moment. An item that may wait counts as due when its waiting time ends.
   *
   * @param isKnown items to leave out
   */
  first: (until: number, isKnown: (key: string) => boolean) => DueItem | undefined
  /** The items that are due at a moment, including items that may wait. */
  at: (moment: number) => DueItem[]
  /** The partitions of these items. */
  partitionsAt: (moment: number) => Set<string>
  close: () => void
}

type Stored = { sk: string; item_json: string }

/** How dynoxide writes a key that is a text. */
const textKey = (key: string) => `S:${key}`

/**
 * Reads the indexes from the SQLite file of dynoxide, which keeps its table open: hundreds of partitions in a
 * millisecond. Queries would take longer than most of the work that is due.
 */
export function openDueItems(tableFile: string, table: string): DueItems {
  const database = new DatabaseSync(tableFile, { readOnly: true, timeout: 5_000 })
  const query = database.prepare(`SELECT sk, item_json FROM "${table}" WHERE pk = ? AND sk < ? ORDER BY sk`)

  /** The items of a partition that are due by `until`. If the index is sorted, the first is due first. */
  function* itemsIn(name: DuePartition, partition: string, until: number): Generator<DueItem> {
    const { momentOf, isSorted } = dueMoments[name]
    const end = isSorted ? new Date(until + 1).toISOString() : '~'
    const found = query.iterate(textKey(partition), textKey(end)) as Iterable<Stored>
    for (const { sk: stored, item_json } of found) {
      const sk = stored.slice(textKey('').length)
      const at = momentOf({ ...(isSorted ? {} : textsOf(item_json)), sk })
      if (at !== undefined && at <= until) yield { key: `${partition} ${sk} ${at}`, at, partition }
    }
  }

  function firstIn(name: DuePartition, partition: string, until: number, isKnown: (key: string) => boolean) {
    let first: DueItem | undefined
    for (const item of itemsIn(name, partition, until)) {
      if (isKnown(item.key) || item.at > (first?.at ?? until)) continue
      first = item
      if (dueMoments[name].isSorted) break
    }
    return first
  }

  function isDueIn(name: DuePartition, partition: string, moment: number): boolean {
    for (const _ of itemsIn(name, partition, moment)) return true
    return false
  }

  return {
    first: (until, isKnown) => {
      let first: DueItem | undefined
      for (const [name, partition] of partitions) {
        const patience = patienceOf(name)
        const found = firstIn(name, partition, until - patience, isKnown)
        if (found === undefined || found.at + patience > (first?.at ?? until)) continue
        first = { ...found, at: found.at + patience }
      }
      return first
    },
    at: (moment) => partitions.flatMap(([name, partition]) => [...itemsIn(name, partition, moment)]),
    partitionsAt: (moment) =>
      new Set(partitions.filter((one) => isDueIn(...one, moment)).map(([, partition]) => partition)),
    close: () => database.close(),
  }
}

const partitions = (Object.keys(dueMoments) as DuePartition[]).flatMap((name) =>
  (name === 'outbox' ? jobShards : shards).map((shard) => [name, `${name}#${shard}`] as const),
)

function patienceOf(name: DuePartition): number {
  const about = dueMoments[name]
  return 'mayWaitMilliseconds' in about ? about.mayWaitMilliseconds : 0
}

/** The texts of an item in DynamoDB's form. */
function textsOf(json: string): Omit<StoredDue, 'sk'> {
  const stored = JSON.parse(json) as Record<string, { S?: string }>
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, { S }]) => (S === undefined ? [] : [[name, S]])),
  )
}
