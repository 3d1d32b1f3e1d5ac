import { beaVisibility } from '#bea/rights/visibility.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { consumer } from '#foundation/consumer.ts'
import { webhookFoundation } from '#foundation/webhooks.ts'
import { queueSender } from '#queue/sqs.ts'
import { envelopeMailQueue } from '#signing/queues.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { delivering } from '#webhooks/deliveries/delivering.ts'
import { deliveryQueue } from '#webhooks/deliveries/queue.ts'
import { noticeRequests } from '#webhooks/notices.ts'

const base = announcingFoundation('deliveries')
const { run } = delivering({
  ...base,
  ...webhookFoundation(base),
  beaRightsOf: beaVisibility(beaAccounts(base)).ofUser,
  notify: noticeRequests({ ...base, users: userStore(base), send: queueSender(envelopeMailQueue) }),
})

/** Sends events to the endpoints of firms. */
export const handler = consumer(base, deliveryQueue, run)
