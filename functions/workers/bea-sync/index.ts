import { handOverUnknownSends } from '#bea/sending/due-sends.ts'
import { beaSendQueue } from '#bea/sending/send-queue.ts'
import { beaSyncQueue } from '#bea/sync/sync-queue.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaNetwork } from '#foundation/bea.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { beaSyncing } from '#foundation/bea-sync.ts'
import { consumer } from '#foundation/consumer.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { queueSender } from '#queue/sqs.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { workerSeconds } from '../time-limits.ts'

/** After this time no further message is started: the gateway may take minutes for one. */
const maxMilliseconds = (workerSeconds.beaSync - 420) * 1_000

const base = announcingFoundation('bea-sync')
indexWakes(base)
inboxFoundation(base)
const { run } = beaSyncing(base, beaNetwork(base), beaMessageFoundation(base), maxMilliseconds)
const drafts = beaDraftStore(base)
const send = queueSender(beaSendQueue)

/** Synchronises beA postboxes with our store (B5), and starts the search for sends with an unknown outcome (B7). */
export const handler = consumer(base, beaSyncQueue, async (message, signal) => {
  await run(message, signal)
  await handOverUnknownSends({ drafts, send }, message)
})
