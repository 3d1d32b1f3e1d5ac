import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { Files } from '#kernel/files.ts'
import { bytesKey } from './keys.ts'
import type { DocumentStore, DocumentWatches } from './ports.ts'
import { unrecordedMilliseconds } from './schema.ts'

/**
 * Removes bytes that were stored at least a day before `now` and belong to no record, because their request died (D13).
 * It leaves the bytes of deleted documents to the job `document.erase`.
 *
 * @returns the number of documents whose bytes were removed, and the number of failures
 */
export async function sweepUnrecordedBytes(
  deps: {
    store: Pick<DocumentStore, 'known'>
    files: Pick<Files, 'remove'>
    watches: Pick<DocumentWatches, 'stored' | 'forget'>
    log: SweepLog
  },
  now: Date,
  milliseconds: number,
): Promise<{ removed: number; failed: number }> {
  const { store, files, watches, log } = deps
  const sweep = sweeping({ name: 'unrecorded bytes', milliseconds, log })
  const storedBefore = new Date(now.getTime() - unrecordedMilliseconds)
  let removed = 0
  await sweep.eachDue(watches.stored, storedBefore, async (stored) => {
    const known = await store.known(stored.workspace_id, [stored.id])
    if (known.get(stored.id) !== stored.sha256) {
      await files.remove([bytesKey(stored)])
      removed += 1
    }
    await watches.forget('record', stored.id)
  })
  return { removed, failed: sweep.failed() }
}
