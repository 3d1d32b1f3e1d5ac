import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { type Arrival, resendMilliseconds } from './arrival-schema.ts'
import type { ArrivalWatches } from './ports.ts'

/**
 * Sends again (`sweeping`) the arrivals that have no final judgement or are not filed completely, if their last message
 * was sent an hour or more before `now`; after the queue was lost, all of them.
 */
export async function sweepArrivals(
  deps: {
    watches: ArrivalWatches
    /** The messages of a record that is still to be read, judged or filed; none if nothing is left to do. */
    waiting: (workspaceId: string, id: string) => Promise<Arrival[]>
    send: SendMessage<Arrival>
    log: SweepLog
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{ sent: number; failed: number }> {
  const { watches, waiting, send, log } = deps
  const sweep = sweeping({ name: 'arrivals', milliseconds, log })
  const sentBefore = new Date(now.getTime() - resendMilliseconds).toISOString()
  let sent = 0
  await sweep.shards(watches, now, async ({ workspace_id, id, sent_at }) => {
    if (!queueWasLost && sent_at > sentBefore) return
    const messages = await waiting(workspace_id, id)
    if (messages.length === 0) return watches.forget(id)
    for (const message of messages) await send(message)
    await watches.sent(id, now)
    sent += 1
  })
  return { sent, failed: sweep.failed() }
}
