import type { SendMessage } from '#jobs/job.ts'
import { everyInParallel } from '#kernel/in-parallel.ts'
import { eraseFiles } from './jobs.ts'
import { keysOf } from './keys.ts'
import type { DocumentStore, DocumentWatches } from './ports.ts'
import { type DocumentToRead, uploadHours } from './schema.ts'

/** A document is sent to be read again after so long without an outcome: longer than a message can be at work. */
const resendMilliseconds = 60 * 60 * 1_000

/** A sweep looks at so many documents of a shard. */
const documentsPerShard = 1_000

/**
 * Sends documents to be read whose message was sent an hour before `now` and which are still pending (or, after the
 * queue was lost, all that are pending), and removes announced uploads whose bytes never came.
 *
 * `oldestUnreadMinutes`: how long the oldest document that is still to be read has waited; undefined where there is none.
 *
 * It begins at a random shard and begins with no document once `milliseconds` are over. A shard that fails holds up no
 * other.
 */
export async function sweepDocuments(
  deps: {
    store: Pick<DocumentStore, 'find' | 'removeExpired'>
    watches: DocumentWatches
    send: SendMessage<DocumentToRead>
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{ sent: number; expired: number; oldestUnreadMinutes?: number }> {
  const { store, watches, send } = deps
  const until = performance.now() + milliseconds
  const isOver = () => performance.now() >= until
  const result: Awaited<ReturnType<typeof sweepDocuments>> = { sent: 0, expired: 0 }

  const sendAgain = async (shard: string): Promise<void> => {
    const sentBefore = new Date(now.getTime() - resendMilliseconds).toISOString()
    for (const { workspace_id, id, waits_since, sent_at } of await watches.unread(shard, documentsPerShard)) {
      if (isOver()) return
      if (queueWasLost || sent_at <= sentBefore) {
        const record = await store.find(workspace_id, id)
        if (record?.status !== 'pending') {
          await watches.forget('reading', id)
          continue
        }
        await send({ workspace_id, document_id: id })
        await watches.sent(id, now)
        result.sent += 1
      }
      const minutes = Math.floor((now.getTime() - Date.parse(waits_since)) / 60_000)
      result.oldestUnreadMinutes = Math.max(result.oldestUnreadMinutes ?? 0, minutes)
    }
  }

  const removeExpired = async (shard: string): Promise<void> => {
    const announcedBefore = new Date(now.getTime() - uploadHours * 3_600_000)
    for (const { workspace_id, id } of await watches.announcedBefore(
      shard,
      announcedBefore,
      documentsPerShard,
    )) {
      if (isOver()) return
      const isRemoved = await store.removeExpired(workspace_id, id, now, (record) => ({
        deleted_at: now.toISOString(),
        timelineEntries: [],
        jobs: [eraseFiles.of({ keys: keysOf(record) })],
      }))
      if (isRemoved) result.expired += 1
      else await watches.forget('bytes', id)
    }
  }

  const first = Math.floor(Math.random() * watches.shards.length)
  const shards = [...watches.shards.slice(first), ...watches.shards.slice(0, first)]
  await everyInParallel(shards, async (shard) => {
    if (isOver()) return
    await everyInParallel([sendAgain, removeExpired], (work) => work(shard), 1)
  })
  return result
}
