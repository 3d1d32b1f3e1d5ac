import { beaSyncs } from '#bea/sync-jobs.ts'
import { beaNetwork } from '#foundation/bea.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { beaSyncing } from '#foundation/bea-sync.ts'
import { foundation } from '#foundation/foundation.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider } from '#queue/sqs.ts'
import { beaSyncSeconds } from './limits.ts'

/** After so long no message is begun: the gateway may take minutes for one. */
const maxMilliseconds = (beaSyncSeconds - 420) * 1_000

const base = foundation('bea-sync')
inboxFoundation(base)

/** Synchronises postboxes of beA with our own store (B5). */
export const handler = consume(beaSyncs, {
  work: beaSyncing(base, beaNetwork(base), beaMessageFoundation(base), maxMilliseconds).run,
  hide: messageHider(beaSyncs),
  log: base.log,
})
