import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { type Arrival, resendMilliseconds } from './arrival-schema.ts'
import type { ArrivalWatches } from './ports.ts'

/**
 * Sends the messages of waiting arrivals again (`sweeping`). An arrival waits until its triage result is final and its
 * attachments are filed. Its messages are sent again an hour after the last time, and at once if the queue was lost.
 */
export async function sweepArrivals(
  deps: {
    watches: ArrivalWatches
    /** The messages for the work that is left to do for a record; empty if none is left. */
    remainingMessages: (workspaceId: string, id: string) => Promise<Arrival[]>
    send: SendMessage<Arrival>
    log: SweepLog
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{ sent: number; failed: number }> {
  const { watches, remainingMessages, send, log } = deps
  const sweep = sweeping({ name: 'arrivals', milliseconds, log })
  const sentBefore = new Date(now.getTime() - resendMilliseconds).toISOString()
  let sent = 0
  await sweep.eachDue(watches, now, async ({ workspace_id, id, sent_at }) => {
    if (!queueWasLost && sent_at > sentBefore) return
    const messages = await remainingMessages(workspace_id, id)
    if (messages.length === 0) return watches.forget(id)
    for (const message of messages) await send(message)
    await watches.sent(id, now)
    sent += 1
  })
  return { sent, failed: sweep.failed() }
}
