import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { eraseFiles } from './jobs.ts'
import { keysOf } from './keys.ts'
import type { DocumentStore, DocumentWatches } from './ports.ts'
import { type DocumentToRead, resendMilliseconds, uploadMilliseconds } from './schema.ts'

/**
 * Sends the message again for each document that is still pending an hour after its last message; with `queueWasLost`,
 * for every pending document. It also removes announced uploads that were not completed in time.
 *
 * `oldestUnread`: the unread document that has waited longest, and how long; undefined if there is none.
 */
export async function sweepDocuments(
  deps: {
    store: Pick<DocumentStore, 'find' | 'removeExpired'>
    watches: DocumentWatches
    send: SendMessage<DocumentToRead>
    log: SweepLog
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{
  sent: number
  expired: number
  failed: number
  oldestUnread?: DocumentToRead & { minutes: number }
}> {
  const { store, watches, send, log } = deps
  const sweep = sweeping({ name: 'documents', milliseconds, log })
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const sentBefore = before(resendMilliseconds).toISOString()
  const result: Awaited<ReturnType<typeof sweepDocuments>> = { sent: 0, expired: 0, failed: 0 }

  const sendAgain = sweep.eachDue(watches.unread, now, async ({ workspace_id, id, waits_since, sent_at }) => {
    if (queueWasLost || sent_at <= sentBefore) {
      const record = await store.find(workspace_id, id)
      if (record?.status !== 'pending') return watches.forget('reading', id)
      await send({ workspace_id, document_id: id })
      await watches.sent(id, now)
      result.sent += 1
    }
    const minutes = Math.floor((now.getTime() - Date.parse(waits_since)) / 60_000)
    if (minutes >= (result.oldestUnread?.minutes ?? 0))
      result.oldestUnread = { workspace_id, document_id: id, minutes }
  })

  const announcedBefore = before(uploadMilliseconds)
  const removeExpired = sweep.eachDue(watches.announced, announcedBefore, async ({ workspace_id, id }) => {
    const isRemoved = await store.removeExpired(workspace_id, id, now, (record) => ({
      deleted_at: now.toISOString(),
      jobs: [eraseFiles.of({ keys: keysOf(record) })],
      answer: undefined,
    }))
    if (isRemoved) result.expired += 1
    else await watches.forget('bytes', id)
  })

  await Promise.all([sendAgain, removeExpired])
  return { ...result, failed: sweep.failed() }
}
