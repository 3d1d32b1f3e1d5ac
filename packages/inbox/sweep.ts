import type { SendMessage } from '#jobs/job.ts'
import { everyInParallel } from '#kernel/in-parallel.ts'
import type { Arrival } from './arrival-schema.ts'
import type { ArrivalWatches } from './ports.ts'

/** What waits is sent again after so long: longer than a message can be at work. */
const resendMilliseconds = 60 * 60 * 1_000

/** A sweep looks at so many records of a shard. */
const recordsPerShard = 1_000

/**
 * Sends again what arrived and is not judged for good, or not filed with all that belongs to it: where its message was sent
 * an hour before `now`, or all of it after the queue was lost.
 *
 * It begins at a random shard and begins with no record once `milliseconds` are over. A shard that fails holds up no other.
 */
export async function sweepArrivals(
  deps: {
    watches: ArrivalWatches
    /** The messages of a record that is still to be read, judged or filed; none where nothing is left to do. */
    waiting: (workspaceId: string, id: string) => Promise<Arrival[]>
    send: SendMessage<Arrival>
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{ sent: number }> {
  const { watches, waiting, send } = deps
  const until = performance.now() + milliseconds
  const isOver = () => performance.now() >= until
  const sentBefore = new Date(now.getTime() - resendMilliseconds).toISOString()
  const result = { sent: 0 }

  const sweepShard = async (shard: string): Promise<void> => {
    if (isOver()) return
    for (const { workspace_id, id, sent_at } of await watches.waiting(shard, recordsPerShard)) {
      if (isOver()) return
      if (!queueWasLost && sent_at > sentBefore) continue
      const messages = await waiting(workspace_id, id)
      if (messages.length === 0) {
        await watches.forget(id)
        continue
      }
      for (const message of messages) await send(message)
      await watches.sent(id, now)
      result.sent += 1
    }
  }

  const first = Math.floor(Math.random() * watches.shards.length)
  await everyInParallel([...watches.shards.slice(first), ...watches.shards.slice(0, first)], sweepShard)
  return result
}
