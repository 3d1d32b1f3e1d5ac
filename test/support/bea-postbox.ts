import type { BeaAccountRecord } from '#bea/ports.ts'
import type { BeaSimulator } from '#infra/local/bea/simulator.ts'
import { type Clock, systemClock } from '#kernel/clock.ts'
import { aBeaAccount } from './bea-account.ts'
import type { Firm } from './firm.ts'
import { sharedTable } from './table.ts'

/** Connects a postbox of the simulator with a firm, with its key and a session, and lets this process use that simulator. */
export async function connectPostbox(
  simulator: BeaSimulator,
  { workspace, ownerUser }: Pick<Firm, 'workspace' | 'ownerUser'>,
  clock: Clock = systemClock,
): Promise<BeaAccountRecord> {
  const db = await sharedTable()
  Object.assign(process.env, { BEA_GATEWAY_URL: simulator.url, BEA_GATEWAY_IDENT: simulator.ident })
  const [{ beaNetwork }, { sealedAs }, { createLog }] = await Promise.all([
    import('#foundation/bea.ts'),
    import('#bea/session-use.ts'),
    import('#kernel/log.ts'),
  ])
  const network = beaNetwork({ db, clock, log: createLog('test', () => {}) })
  const { certificate_base64, passphrase, safe_id } = simulator.certificates.lindner
  const opened = await network.tools.open(Buffer.from(certificate_base64, 'base64'), passphrase, clock.now())
  const account = aBeaAccount({
    workspace_id: workspace.id,
    user_id: ownerUser.id,
    safe_id,
    postbox_safe_id: safe_id,
  })
  const owner = { workspace_id: workspace.id, account_id: account.id }
  const sealed = await network.secrets.seal(JSON.stringify(opened), sealedAs('key', owner))
  await network.accounts.add(account, sealed)
  await network.sessions.logIn(account, AbortSignal.timeout(30_000))
  return account
}
