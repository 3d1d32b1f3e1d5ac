import type { Clock } from '#kernel/clock.ts'
import type { BeaSession } from '../accounts/account-schema.ts'
import { loginDisconnected, notAuthenticated } from '../network/gateway-ports.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import type { BeaSessionStore, StoredSession } from './session-ports.ts'

/** The time after its last use when a session ends (B3). */
const sessionMilliseconds = 30 * 60_000

type Account = Pick<BeaAccountRecord, 'workspace_id' | 'id' | 'login_account_id'>

export type SessionStates = ReturnType<typeof sessionStates>

/** Reads from the store whether accounts have sessions. It needs neither the gateway nor a secret. */
export function sessionStates(deps: {
  accounts: Pick<BeaAccountStore, 'find'>
  sessions: Pick<BeaSessionStore, 'find'>
  clock: Clock
}) {
  const { accounts, sessions, clock } = deps

  /** The session of an account; for a Kanzlei postbox, the session of its login account. */
  const stateOf = async ({ workspace_id, id, login_account_id }: Account): Promise<BeaSession> => {
    const account_id = login_account_id ?? id
    const login = await accounts.find(workspace_id, account_id)
    const stored = login && (await sessions.find({ workspace_id, account_id }))
    if (stored === undefined || login?.logged_out)
      return { account_id: id, status: 'none', since: null, expires_at: null }
    const status = isExpired(stored, clock.now()) ? 'expired' : 'active'
    return { account_id: id, status, since: stored.since, expires_at: expiryOf(stored) }
  }

  const isActive = async (account: Account) => (await stateOf(account)).status === 'active'

  return {
    stateOf,
    isActive,

    /** @throws Failure BEA_NOT_AUTHENTICATED without a session */
    requireActive: async (account: Account): Promise<void> => {
      if (await isActive(account)) return
      const { workspace_id, login_account_id: id } = account
      if (id !== null && (await accounts.find(workspace_id, id)) === undefined) throw loginDisconnected()
      throw notAuthenticated()
    },
  }
}

/** When a session ends if it is not used again: ISO 8601 in UTC. */
function expiryOf({ last_used_at }: Pick<StoredSession, 'last_used_at'>): string {
  return new Date(Date.parse(last_used_at) + sessionMilliseconds).toISOString()
}

/** Whether a session has ended because its last use is too long ago. */
export function isExpired(session: Pick<StoredSession, 'last_used_at'>, now: Date): boolean {
  return expiryOf(session) <= now.toISOString()
}
