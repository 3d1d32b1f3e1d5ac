import type { BeaGateway } from '#bea/gateway-ports.ts'
import { beaSessions } from '#bea/session-use.ts'
import { beaGateway } from '#bea-gateway/gateway.ts'
import { keyTools } from '#bea-gateway/key-tools.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import { stageSecrets } from '#secrets/stage-secrets.ts'
import { beaKeyStore, beaSessionStore } from '#store/bea/bea-session-store.ts'
import type { Db } from '#store/db.ts'
import { lazily } from '#store/lazily.ts'
import { beaAccounts } from './bea-access.ts'

/**
 * Everything that reaches the beA network: for functions that may open its secrets (`needs.secrets: 'bea'`).
 * `BEA_GATEWAY_URL` and `BEA_GATEWAY_IDENT` name the gateway, `BEA_LOGIN_VERSION` (1 or 2, by default 2) its login (B1).
 */
export function beaNetwork(base: { db: Db; clock: Clock; log: Log }) {
  const loginVersion = process.env.BEA_LOGIN_VERSION === '1' ? 1 : 2
  const secrets = stageSecrets()
  const network = {
    ...base,
    ...beaAccounts(base),
    secrets,
    gateway: lazily((): BeaGateway => configuredGateway(loginVersion, base.log)),
    tools: keyTools({ loginVersion }),
  }
  const sessions = beaSessions({
    ...network,
    keys: beaKeyStore(base.db),
    sessions: beaSessionStore(base.db),
  })
  return { ...network, sessions, useBeaSession: sessions.useBeaSession }
}

/** @throws Failure BEA_GATEWAY_ERROR where none is configured */
function configuredGateway(loginVersion: 1 | 2, log: Log): BeaGateway {
  const url = process.env.BEA_GATEWAY_URL
  const ident = process.env.BEA_GATEWAY_IDENT ?? ''
  if (!url) throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'This deployment has no gateway to beA.')
  return beaGateway({ url, ident, loginVersion, log })
}
