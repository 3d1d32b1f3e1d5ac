import { queueSender } from '#queue/sqs.ts'
import { eventHints } from '#store/webhooks/event-hints.ts'
import { deliveryQueue } from '#webhooks/deliveries/queue.ts'
import { foundation } from './foundation.ts'

/**
 * The foundation of a function whose changes have events (E1): it announces them to the worker that delivers them. The
 * function needs the right to send to the queue `deliveries`.
 */
export function announcingFoundation(functionName: string) {
  const base = foundation(functionName)
  const sendDelivery = queueSender(deliveryQueue)
  base.db.hints = eventHints(base.db, { send: sendDelivery, log: base.log })
  return { ...base, sendDelivery }
}
