import { markingStore } from '#bea/eeb/confidential-answers.ts'
import { importing } from '#bea/messages/importing.ts'
import { missingNotices } from '#bea/sync/missing-messages.ts'
import { postboxSync } from '#bea/sync/postbox-sync.ts'
import { beaSyncQueue } from '#bea/sync/sync-queue.ts'
import { syncing } from '#bea/sync/syncing.ts'
import { beaMediaType } from '#documents/bea-media-type.ts'
import { queueSender } from '#queue/sqs.ts'
import { beaUnimportedStore } from '#store/bea/bea-unimported-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { beaNetwork } from './bea.ts'
import type { beaMessageFoundation } from './bea-messages.ts'
import type { Base } from './foundation.ts'

/**
 * The synchronisation of postboxes, for its worker (B5). @param maxMilliseconds after this time no further message is
 * begun
 */
export function beaSyncing(
  { db, clock, log }: Pick<Base, 'db' | 'clock' | 'log'>,
  { accounts, useBeaSession }: Pick<ReturnType<typeof beaNetwork>, 'accounts' | 'useBeaSession'>,
  { store, files, answers }: Pick<ReturnType<typeof beaMessageFoundation>, 'store' | 'files' | 'answers'>,
  maxMilliseconds: number,
) {
  const { timeZoneOf } = workspaceStore(db)
  const syncPostbox = postboxSync({
    store,
    use: useBeaSession,
    importMessage: importing({ store: markingStore(store, answers), files, describe: beaMediaType, clock }),
    missing: missingNotices({ store, unimported: beaUnimportedStore(db), timeZoneOf, clock, log }),
    clock,
    log,
    maxMilliseconds,
  })
  return syncing({ accounts, syncPostbox, send: queueSender(beaSyncQueue), clock, log })
}
