import { everyInParallel } from '#kernel/in-parallel.ts'
import { bytesKey } from './keys.ts'
import type { DocumentStore, DocumentWatches, Files } from './ports.ts'
import { uploadHours } from './schema.ts'

/**
 * A request that stores bytes writes their record within a minute, and an announced upload can be completed within a day.
 * Half an hour after that it is certain that the request died.
 */
const unrecordedMilliseconds = (uploadHours + 0.5) * 3_600_000

/** A sweep looks at so many documents of a shard. */
const documentsPerShard = 200

/**
 * Removes the bytes of documents that were stored a day before `now` and that no record has: their request died in between
 * (D13). Bytes of documents that were deleted since are left to the job of the deletion. It begins with no document once
 * `milliseconds` are over. A shard that fails holds up no other.
 *
 * @returns of how many documents
 */
export async function sweepUnrecordedBytes(
  deps: {
    store: Pick<DocumentStore, 'known'>
    files: Pick<Files, 'remove'>
    watches: Pick<DocumentWatches, 'shards' | 'storedBefore' | 'forget'>
  },
  now: Date,
  milliseconds: number,
): Promise<number> {
  const { store, files, watches } = deps
  const until = performance.now() + milliseconds
  const storedBefore = new Date(now.getTime() - unrecordedMilliseconds)
  let removed = 0
  await everyInParallel(watches.shards, async (shard) => {
    if (performance.now() >= until) return
    for (const stored of await watches.storedBefore(shard, storedBefore, documentsPerShard)) {
      if (performance.now() >= until) return
      const known = await store.known(stored.workspace_id, [stored.id])
      if (known.get(stored.id) !== stored.sha256) {
        await files.remove([bytesKey(stored)])
        removed += 1
      }
      await watches.forget('record', stored.id)
    }
  })
  return removed
}
