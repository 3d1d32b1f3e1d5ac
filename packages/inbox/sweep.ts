import type { SendMessage } from '#jobs/job.ts'
import { everyInParallel } from '#kernel/in-parallel.ts'
import type { Arrival } from './arrival-schema.ts'
import type { ArrivalWatches } from './ports.ts'

/** What waits is sent again after so long: longer than a message can be at work. */
const resendMilliseconds = 60 * 60 * 1_000

/** A sweep looks at so many records of a shard. */
const recordsPerShard = 1_000

/**
 * Sends again what arrived and is not judged for good: where its message was sent an hour before `now`, or all of it
 * after the queue was lost.
 *
 * It begins at a random shard and begins with no record once `milliseconds` are over. A shard that fails holds up no other.
 */
export async function sweepArrivals(
  deps: {
    watches: ArrivalWatches
    /** Whether the record exists and is still to be read or judged. */
    waits: (workspaceId: string, id: string) => Promise<boolean>
    send: SendMessage<Arrival>
  },
  now: Date,
  { queueWasLost, milliseconds }: { queueWasLost: boolean; milliseconds: number },
): Promise<{ sent: number }> {
  const { watches, waits, send } = deps
  const until = performance.now() + milliseconds
  const isOver = () => performance.now() >= until
  const sentBefore = new Date(now.getTime() - resendMilliseconds).toISOString()
  const result = { sent: 0 }

  const sweepShard = async (shard: string): Promise<void> => {
    if (isOver()) return
    for (const { workspace_id, id, sent_at } of await watches.waiting(shard, recordsPerShard)) {
      if (isOver()) return
      if (!queueWasLost && sent_at > sentBefore) continue
      if (!(await waits(workspace_id, id))) {
        await watches.forget(id)
        continue
      }
      await send({ workspace_id, id })
      await watches.sent(id, now)
      result.sent += 1
    }
  }

  const first = Math.floor(Math.random() * watches.shards.length)
  await everyInParallel([...watches.shards.slice(first), ...watches.shards.slice(0, first)], sweepShard)
  return result
}
