import type { BeaGateway, KeyTools } from '#bea/network/gateway-ports.ts'
import { beaSessions } from '#bea/sessions/session-use.ts'
import type { LoadedGateway } from '#bea-gateway/gateway.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import { once } from '#kernel/once.ts'
import { stageSecrets } from '#secrets/stage-secrets.ts'
import { beaKeyStore, beaSessionStore } from '#store/bea/bea-session-store.ts'
import type { Db } from '#store/db.ts'
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
    gateway: laterGateway(loginVersion, base.log),
    tools: laterKeyTools(loginVersion),
  }
  const sessions = beaSessions({
    ...network,
    keys: beaKeyStore(base.db),
    sessions: beaSessionStore(base.db),
  })
  return { ...network, sessions, useBeaSession: sessions.useBeaSession }
}

/** The network. The first call loads the adapter, because most requests of these functions only read stored data. */
function laterGateway(loginVersion: 1 | 2, log: Log): BeaGateway {
  const loaded = once(() => configuredGateway(loginVersion, log))
  return {
    startLogin: async (...call) => (await loaded()).startLogin(...call),
    answerChallenges: async (...call) => (await loaded()).answerChallenges(...call),
    finishLogin: async (...call) => (await loaded()).finishLogin(...call),
    connect: async (session) => (await loaded()).connect(session),
  }
}

/** The certificate tools. The first call loads them, as above. */
function laterKeyTools(loginVersion: 1 | 2): KeyTools {
  const loaded = once(async () => (await import('#bea-gateway/key-tools.ts')).keyTools({ loginVersion }))
  return {
    open: async (...call) => (await loaded()).open(...call),
    sign: async (...call) => (await loaded()).sign(...call),
    unwrap: async (...call) => (await loaded()).unwrap(...call),
  }
}

/** @throws Failure BEA_GATEWAY_ERROR if none is configured */
async function configuredGateway(loginVersion: 1 | 2, log: Log): Promise<LoadedGateway> {
  const url = process.env.BEA_GATEWAY_URL
  const ident = process.env.BEA_GATEWAY_IDENT ?? ''
  if (!url) throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'This deployment has no gateway to beA.')
  const { beaGateway } = await import('#bea-gateway/gateway.ts')
  return beaGateway({ url, ident, loginVersion, log })
}
