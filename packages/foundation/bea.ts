import type { BeaGateway, KeyTools } from '#bea/gateway-ports.ts'
import { beaSessions } from '#bea/session-use.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Log } from '#kernel/log.ts'
import { kmsSecretBox } from '#secrets/secret-box.ts'
import { beaKeyStore, beaSessionStore } from '#store/bea/bea-session-store.ts'
import type { Db } from '#store/db.ts'
import { beaAccounts } from './bea-access.ts'

/** Everything that reaches the beA network: for functions that may open its secrets (`needs.secrets: 'bea'`). */
export function beaNetwork(
  base: { db: Db; clock: Clock; log: Log },
  adapter: { gateway: BeaGateway; tools: KeyTools },
) {
  const stored = beaAccounts(base)
  const secrets = kmsSecretBox(process.env.SECRETS_KEY_ID ?? '')
  const deps = {
    ...base,
    ...stored,
    ...adapter,
    keys: beaKeyStore(base.db),
    sessions: beaSessionStore(base.db),
    secrets,
  }
  const sessions = beaSessions(deps)
  return { ...deps, sessions, useBeaSession: sessions.useBeaSession }
}
