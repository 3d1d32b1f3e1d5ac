import type { BeaAccountRecord } from '#bea/ports.ts'
import { sealedAs } from '#bea/sessions/session-use.ts'
import type { SyncOrder } from '#bea/sync/sync-queue.ts'
import { requestedSync } from '#bea/sync/sync-state.ts'
import type { BeaSimulator } from '#bea-simulator/simulator.ts'
import { type Clock, systemClock } from '#kernel/clock.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { scheduledBeaSyncs } from '#store/bea/scheduled-bea-syncs.ts'
import { plain } from '#test/support/store-changes.ts'
import { aBeaAccount } from './bea-account.ts'
import type { Firm } from './firm.ts'
import { sharedTable } from './table.ts'

/** Connects a simulator's postbox with a firm of the shared service and stores its key, as the endpoint does. */
export async function connectSimulated(
  firm: Pick<Firm, 'workspace' | 'ownerUser'>,
  { url, ident, certificates }: Pick<BeaSimulator, 'url' | 'ident' | 'certificates'>,
  name: keyof BeaSimulator['certificates'] = 'lindner',
  clock: Clock = systemClock,
) {
  const db = await sharedTable()
  Object.assign(process.env, { BEA_GATEWAY_URL: url, BEA_GATEWAY_IDENT: ident, BEA_LOGIN_VERSION: '2' })
  const { beaNetwork } = await import('#foundation/bea.ts')
  const { foundation } = await import('#foundation/foundation.ts')
  const network = beaNetwork({ ...foundation('test'), clock })
  const { certificate_base64, passphrase, safe_id } = certificates[name]
  const { certificate, private_key_pem } = await network.tools.open(
    Buffer.from(certificate_base64, 'base64'),
    passphrase,
    clock.now(),
  )
  const { pem: _, thumbprint, subject, issuer, serial, valid_from, valid_to } = certificate
  const record: BeaAccountRecord = aBeaAccount({
    workspace_id: firm.workspace.id,
    user_id: firm.ownerUser.id,
    safe_id,
    postbox_safe_id: safe_id,
    certificate: { subject, issuer, serial, thumbprint, valid_from, valid_to },
  })
  const owner = { workspace_id: record.workspace_id, account_id: record.id }
  const key = await network.secrets.seal(
    JSON.stringify({ certificate, private_key_pem }),
    sealedAs('key', owner),
  )
  const accounts = beaAccountStore(db)
  await accounts.add(plain(record), key)
  // The shared service has another network: its schedule would begin a synchronisation at once, which fails and takes
  // the session away.
  const due = { ...owner, due_at: record.created_at }
  await scheduledBeaSyncs(db).advance(due, '2999-01-01T00:00:00.000Z')
  return {
    network,
    account: record,
    /** Requests a synchronisation without passing it to a worker. */
    order: async (): Promise<SyncOrder> => {
      const started_at = systemClock.now().toISOString()
      await accounts.change(record.workspace_id, record.id, (current) => ({
        ...current,
        last_sync: requestedSync(current.last_sync, started_at),
      }))
      return { workspace_id: record.workspace_id, account_id: record.id, started_at }
    },
    lastSync: async () => (await accounts.find(record.workspace_id, record.id))?.last_sync,
  }
}
