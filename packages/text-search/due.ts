import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { DueIndexWork, SearchIndexStore } from './ports.ts'
import type { IndexWake } from './wake-schema.ts'

/**
 * Wakes the worker for firms whose index has due work: records to retry, files to remove, or a run that died.
 *
 * @returns also `oldest`: how long the oldest text of these firms has waited to be indexed, and its firm, if a text waits
 */
export async function wakeDueIndexes(
  deps: {
    due: DueIndexWork
    store: Pick<SearchIndexStore, 'marks' | 'manifest' | 'settle'>
    wake: (wake: IndexWake) => Promise<void>
    log: SweepLog
  },
  now: Date,
  { milliseconds }: { milliseconds: number },
): Promise<{ woken: number; failed: number; oldest: Oldest }> {
  const sweep = sweeping({ name: 'search indexes', milliseconds, log: deps.log })
  let woken = 0
  let oldest: Oldest = { minutes: 0 }
  await sweep.eachDue(deps.due, now, async (item) => {
    const { workspace_id, due_at } = item
    await deps.wake({ workspace_id })
    woken += 1
    const found = await Promise.all(
      (['changed', 'new'] as const).map((term) => deps.store.marks(workspace_id, term, 1)),
    )
    const marks = found.flat()
    const manifest = await deps.store.manifest(workspace_id)
    // If the manifest has another time, this item is left from a change, an upgrade of the table or a deleted index. It
    // is removed if no record waits.
    if (manifest?.due_at !== due_at && marks.length === 0) await deps.store.settle(item)
    for (const { at, upgrade } of marks) {
      // A record that is older than the index counts as waiting since the last batch: its `at` is the time of the
      // record.
      const since = upgrade ? (manifest?.indexed_at ?? now.toISOString()) : at
      const minutes = Math.round((now.getTime() - Date.parse(since)) / 60_000)
      if (minutes > oldest.minutes) oldest = { minutes, workspace_id }
    }
  })
  return { woken, failed: sweep.failed(), oldest }
}

type Oldest = { minutes: number; workspace_id?: string }

/** After the due time of all work. */
const endOfTime = new Date('9999-01-01T00:00:00Z')

/**
 * Wakes the worker for every firm whose index may have work, even if it is due later. For use after the queue has lost
 * its messages.
 *
 * @param options.leaseSeconds how long a dead worker may keep the lease of an index; each firm is woken again after
 *   this time
 * @returns how many firms or shards could not be woken
 */
export async function wakeIndexesAgain(
  deps: {
    due: DueIndexWork
    wake: (wake: IndexWake, options?: { delaySeconds?: number }) => Promise<void>
    log: SweepLog
  },
  { milliseconds, leaseSeconds }: { milliseconds: number; leaseSeconds: number },
): Promise<number> {
  const { due, wake, log } = deps
  const sweep = sweeping({ name: 'search indexes', milliseconds, log })
  const woken = new Set<string>()
  await sweep.eachDue(due, endOfTime, async ({ workspace_id }) => {
    if (woken.has(workspace_id)) return
    woken.add(workspace_id)
    await wake({ workspace_id })
    await wake({ workspace_id }, { delaySeconds: leaseSeconds + 1 })
  })
  return sweep.failed()
}
