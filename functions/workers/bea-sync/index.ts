import { importing } from '#bea/importing.ts'
import { missingNotices } from '#bea/missing-messages.ts'
import { postboxSync } from '#bea/postbox-sync.ts'
import { beaSyncs } from '#bea/sync-jobs.ts'
import { syncing } from '#bea/syncing.ts'
import { beaMediaType } from '#documents/bea-documents.ts'
import { beaNetwork } from '#foundation/bea.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { foundation } from '#foundation/foundation.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider, queueSender } from '#queue/sqs.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { beaSyncSeconds } from './limits.ts'

/** After so long no message is begun: the gateway may take minutes for one. */
const maxMilliseconds = (beaSyncSeconds - 420) * 1_000

const base = foundation('bea-sync')
inboxFoundation(base)
const network = beaNetwork(base)
const messages = beaMessageFoundation(base)
const workspaces = workspaceStore(base.db)

const syncPostbox = postboxSync({
  ...messages,
  use: network.useBeaSession,
  importMessage: importing({
    ...messages,
    describe: beaMediaType,
    timeZoneOf: async (id) => (await workspaces.find(id))?.time_zone ?? 'Europe/Berlin',
    clock: base.clock,
  }),
  missing: missingNotices({ ...messages, ...base }),
  log: base.log,
  maxMilliseconds,
})

/** Synchronises postboxes of beA with our own store (B5). */
export const handler = consume(beaSyncs, {
  work: syncing({ ...base, accounts: network.accounts, syncPostbox, send: queueSender(beaSyncs) }).run,
  hide: messageHider(beaSyncs),
  log: base.log,
})
