import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { DispatchIndex, FollowedLog } from '../endpoint-ports.ts'
import { isQuiet } from './hanging.ts'
import type { DeliveryOrder } from './queue.ts'

/**
 * Asks the worker to look at the endpoints for which something is due at `now`: an attempt, a notice, or the end of a
 * claim whose worker has died. It also finds the endpoints whose log may hold events that no message has brought.
 *
 * Endpoints of a firm that hang are handed over together: they keep one worker busy, however many they are.
 *
 * @param limits.queueWasLost asks for every endpoint that is neither disabled nor quiet: any message may be lost
 */
export async function handOverDueDeliveries(
  deps: {
    due: DispatchIndex
    events: Pick<FollowedLog, 'mayHaveMore'>
    send: (order: DeliveryOrder) => Promise<void>
    log: SweepLog
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<{ handedOver: number; failed: number }> {
  const { due, events, send, log } = deps
  const sweep = sweeping({ name: 'deliveries', milliseconds, log })
  let handedOver = 0
  const hanging = new Map<string, string[]>()
  await sweep.eachDue(due, now, async (dispatch) => {
    const { workspace_id, endpoint_id, due_at, followed_at, is_paused, timeouts } = dispatch
    const isDue = Date.parse(due_at) <= now.getTime()
    const mayFollow = !is_paused && !isQuiet(dispatch, now)
    const follow =
      mayFollow && (queueWasLost || (await events.mayHaveMore(workspace_id, new Date(followed_at))))
    if (!isDue && !follow) return
    handedOver += 1
    if (timeouts === null) await send({ workspace_id, endpoint_ids: [endpoint_id], follow })
    else hanging.set(workspace_id, [...(hanging.get(workspace_id) ?? []), endpoint_id])
  })
  const together = [...hanging].map(([workspace_id, endpoint_ids]) => ({ workspace_id, endpoint_ids }))
  await sweep.each(together, (order) => send({ ...order, follow: true }))
  return { handedOver, failed: sweep.failed() }
}
