import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, failureOf } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import type { SecretBox, SecretContext } from '#kernel/secret-box.ts'
import { requireAccount } from '../accounts/require-account.ts'
import {
  type BeaConnection,
  type BeaGateway,
  type GatewaySession,
  type KeyMaterial,
  type KeyTools,
  loginDisconnected,
  notAuthenticated,
  sameSafeId,
} from '../network/gateway-ports.ts'
import type { BeaAccountRecord, BeaAccountStore, UseBeaSession } from '../ports.ts'
import { leasedConnection } from './leased-connection.ts'
import { type HeldLease, sessionLeases } from './session-lease.ts'
import type { BeaKeyStore, BeaSessionStore, SessionOwner, StoredSession } from './session-ports.ts'
import { isExpired } from './session-states.ts'

export type BeaSessions = ReturnType<typeof beaSessions>

/** The time limit for ending a session at the gateway. If this fails, the work continues. */
const logoutMilliseconds = 5_000

/** How long a logout waits for the lease: longer than a dead process holds it. */
const endMilliseconds = 22_000

/** Opens, uses and ends the sessions of login accounts (B3). */
export function beaSessions(deps: {
  accounts: Pick<BeaAccountStore, 'find' | 'change'>
  keys: BeaKeyStore
  sessions: BeaSessionStore
  secrets: SecretBox
  gateway: BeaGateway
  tools: KeyTools
  clock: Clock
  log: Log
}) {
  const { accounts, keys, sessions, secrets, gateway, tools, clock, log } = deps
  const leases = sessionLeases(deps)

  /**
   * The account that logs in for this one: for a Kanzlei postbox its login account, otherwise the account itself.
   *
   * @throws Failure BEA_NOT_AUTHENTICATED if the login account was disconnected
   */
  const loginAccountOf = async (account: BeaAccountRecord): Promise<BeaAccountRecord> => {
    if (account.login_account_id === null) return account
    const login = await accounts.find(account.workspace_id, account.login_account_id)
    if (login === undefined) throw loginDisconnected()
    return login
  }

  const open = async (owner: SessionOwner, stored: StoredSession | null): Promise<GatewaySession | null> => {
    if (stored === null || isExpired(stored, clock.now())) return null
    return JSON.parse(await secrets.open(stored.sealed, sealedAs('session', owner)))
  }

  const sealed = async (
    owner: SessionOwner,
    session: GatewaySession,
    since: string,
  ): Promise<StoredSession> => ({
    sealed: await secrets.seal(JSON.stringify(session), sealedAs('session', owner)),
    since,
    last_used_at: timestamp(clock),
  })

  const endAtGateway = async (connection: BeaConnection): Promise<void> => {
    try {
      await withinSignal(AbortSignal.timeout(logoutMilliseconds), (signal) => connection.logout(signal))
    } catch (error) {
      log.warn('a beA session was not ended at the gateway', { code: failureOf(error)?.code ?? 'unknown' })
    }
  }

  /** Logs in with a key. @throws Failure BEA_ACCOUNT_LOCKED, BEA_CERTIFICATE_INVALID, BEA_GATEWAY_ERROR */
  const logInWith = async (material: KeyMaterial, signal: AbortSignal): Promise<GatewaySession> => {
    if (material.certificate.valid_to <= timestamp(clock)) throw certificateExpired()
    const toSign = await gateway.startLogin(material.certificate, signal)
    const signatures = await tools.sign(material, toSign.challenges)
    const toDecrypt = await gateway.answerChallenges(toSign, signatures, signal)
    return gateway.finishLogin(toDecrypt, await tools.unwrap(material, toDecrypt.keys), signal)
  }

  /** @throws Failure BEA_NOT_AUTHENTICATED if no key is stored */
  const storedKey = async (owner: SessionOwner): Promise<KeyMaterial> => {
    const key = await keys.find(owner)
    if (key === undefined) throw notAuthenticated('There is no session, and no key is stored to open one.')
    return JSON.parse(await secrets.open(key, sealedAs('key', owner)))
  }

  /** Refuses and ends a new session if it is for another SAFE-ID. @throws Failure BEA_GATEWAY_ERROR */
  const refuseAnother = async (account: BeaAccountRecord, session: GatewaySession): Promise<void> => {
    if (account.safe_id === null || sameSafeId(account.safe_id, session.safe_id)) return
    log.error('the beA gateway gave the session of another SAFE-ID', { account_id: account.id })
    await endAtGateway(await gateway.connect(session))
    throw new Failure(
      'upstream',
      'BEA_GATEWAY_ERROR',
      'The beA gateway answered for another user. Nothing was stored.',
    )
  }

  const setStatus = async ({ workspace_id, id }: BeaAccountRecord, status: 'connected' | 'locked') => {
    const mark = (current: BeaAccountRecord) =>
      current.status === status ? undefined : { ...current, status }
    await accounts.change(workspace_id, id, mark).catch((error: unknown) => {
      if (failureOf(error) === undefined) throw error
      log.warn('the status of a beA account was not stored', { account_id: id, code: failureOf(error)?.code })
    })
  }

  /** Runs a call or a step of a login, and marks the account as locked if the network reports that. */
  const recordingLock = <Result>(account: BeaAccountRecord, work: () => Promise<Result>): Promise<Result> =>
    work().catch(async (error: unknown) => {
      if (failureOf(error)?.code === 'BEA_ACCOUNT_LOCKED') await setStatus(account, 'locked')
      throw error
    })

  /** The same, and removes the mark if the work succeeds. */
  const recordingStatus = async <Result>(
    account: BeaAccountRecord,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const result = await recordingLock(account, work)
    if (account.status === 'locked') await setStatus(account, 'connected')
    return result
  }

  /** Stores the session of a new login, and removes the mark that the account is locked. */
  const begin = async (
    lease: HeldLease,
    account: BeaAccountRecord,
    session: GatewaySession,
  ): Promise<StoredSession> => {
    await refuseAnother(account, session)
    let stored: StoredSession
    try {
      stored = await sealed(ownerOf(account), session, timestamp(clock))
      await lease.begin(stored, account.logged_out ?? null)
    } catch (error) {
      await endAtGateway(await gateway.connect(session))
      throw error
    }
    if (account.status === 'locked') await setStatus(account, 'connected')
    return stored
  }

  /** Whether somebody has logged in since the logout or the disconnection of the account. */
  const isLoggedInAgain = async ({ workspace_id, id }: BeaAccountRecord): Promise<boolean> => {
    const current = await accounts.find(workspace_id, id)
    return current !== undefined && !current.logged_out
  }

  /** Ends the remaining session of a login account that was logged out or disconnected. */
  const end = async (account: BeaAccountRecord): Promise<void> => {
    const owner = ownerOf(account)
    try {
      await leases.hold(owner, { signal: AbortSignal.timeout(endMilliseconds) }, async (lease, onChange) => {
        if (await isLoggedInAgain(account)) return
        onChange(async () => null)
        const session = await open(owner, lease.stored)
        if (session !== null) await endAtGateway(await gateway.connect(session))
      })
    } catch (error) {
      // The process that uses the session ends it right after its use.
      log.warn('a beA session was not ended at the gateway', {
        account_id: account.id,
        code: failureOf(error)?.code ?? 'unknown',
      })
      if (!(await isLoggedInAgain(account))) await sessions.remove(owner)
    }
  }

  const useSession = async <Result>(
    target: Parameters<UseBeaSession>[0],
    use: (connection: BeaConnection, isWanted: () => Promise<boolean>) => Promise<Result>,
    signal: AbortSignal,
    options: { mayLogIn?: boolean; yields?: boolean; orderedAt?: string; isLogin?: boolean } = {},
  ): Promise<Result> => {
    const { mayLogIn = false, yields = false, orderedAt, isLogin = false } = options
    const account = await loginAccountOf(await requireAccount(accounts, target, target.id))
    const owner = ownerOf(account)
    const loggedOut = account.logged_out ?? null
    /** Whether the session must be ended after this use, because of a logout or a disconnection. */
    let isLast = loggedOut !== null && !isLogin
    const isOrderedBefore = (logout: string) => orderedAt !== undefined && orderedAt <= timeOf(logout)
    if (isLast && !isOrderedBefore(loggedOut ?? '')) {
      // The process that logged out may have died before it ended the session, so end it here.
      if (mayLogIn && (await sessions.find(owner)) !== undefined) await end(account)
      throw notAuthenticated()
    }
    const endedBy = async () => {
      const current = await accounts.find(owner.workspace_id, owner.account_id)
      const logout = current?.logged_out ?? null
      if (current !== undefined && (logout === null || logout === loggedOut)) return undefined
      isLast = true
      if (logout !== null && isOrderedBefore(logout)) return undefined
      return notAuthenticated('Somebody has logged out of this account meanwhile.')
    }
    return leases.hold(owner, { signal, yields, endedBy }, async (lease, onChange) => {
      let since = lease.stored?.since ?? timestamp(clock)
      let mayBeSent = false

      /** Runs the use with this session, whose newest token is stored from now on. */
      const useOf = async (session: GatewaySession) => {
        const connection = await gateway.connect(session)
        const isOver = { value: false }
        onChange(async () => (isOver.value || isLast ? null : sealed(owner, connection.session(), since)))
        const leased = leasedConnection(connection, lease.lost, (isSending) => {
          mayBeSent = isSending
        })
        try {
          return await recordingStatus(account, () => use(leased, lease.isWanted))
        } catch (error) {
          if (isSessionOver(error)) isOver.value = true
          throw error
        } finally {
          if (isLast) await endAtGateway(connection)
        }
      }
      const useNew = async () => {
        const material = await storedKey(owner)
        const session = await recordingStatus(account, () =>
          withinSignal(signal, (limit) => logInWith(material, AbortSignal.any([limit, lease.lost]))),
        )
        if (isLast) await refuseAnother(account, session)
        else since = (await begin(lease, account, session)).since
        return useOf(session)
      }

      const remaining = await open(owner, lease.stored)
      const isAfterLogout = isLogin && loggedOut !== null
      if (isAfterLogout && remaining !== null) await endAtGateway(await gateway.connect(remaining))
      const session = isAfterLogout ? null : remaining
      if (session === null) {
        if (!mayLogIn) throw notAuthenticated()
        return useNew()
      }
      try {
        return await useOf(session)
      } catch (error) {
        if (!isSessionOver(error) || mayBeSent || lease.lost.aborted || account.kind === 'card') throw error
        // The gateway may refuse a second login while the first session exists.
        await endAtGateway(await gateway.connect(session))
        return useNew()
      }
    })
  }

  const useBeaSession: UseBeaSession = useSession

  return {
    useBeaSession,
    loginAccountOf,
    recordingLock,
    logInWith,
    endAtGateway,

    /**
     * Opens a session with the stored key, and ends a logout. An existing session continues if the gateway still accepts
     * it, unless somebody has logged out.
     *
     * @throws Failure BEA_ACCOUNT_LOCKED, BEA_CERTIFICATE_INVALID, BEA_GATEWAY_ERROR, 503
     */
    async logIn(account: BeaAccountRecord, signal: AbortSignal): Promise<void> {
      const login = await loginAccountOf(account)
      const check = (connection: BeaConnection) => withinSignal(signal, (limit) => connection.check(limit))
      await useSession(login, check, signal, { mayLogIn: true, isLogin: true })
    },

    /** Stores the session of a login by card, and ends an older session. `account` is a login account. */
    async adopt(
      account: BeaAccountRecord,
      session: GatewaySession,
      signal: AbortSignal,
    ): Promise<StoredSession> {
      const owner = ownerOf(account)
      return leases.hold(owner, { signal }, async (lease) => {
        const older = await open(owner, lease.stored)
        const stored = await begin(lease, account, session)
        if (older !== null && older.token !== session.token) await endAtGateway(await gateway.connect(older))
        return stored
      })
    },

    /**
     * Logs out of a login account. The logout lasts until somebody logs in. The session is ended here and at the gateway
     * as soon as nobody uses it. If a use takes longer than 22 seconds, it ends the session itself.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND
     */
    async logOut({ workspace_id, id }: BeaAccountRecord): Promise<void> {
      const logged_out = `${timestamp(clock)} ${randomUUID()}`
      await end(await accounts.change(workspace_id, id, (current) => ({ ...current, logged_out })))
    },

    /** Ends the session of a login account that was disconnected, in the same way as `logOut`. */
    end,
  }
}

/** The context in which a secret of an account is sealed (B2, B3). */
export function sealedAs(kind: string, { workspace_id, account_id }: SessionOwner): SecretContext {
  return { purpose: 'bea', workspace_id, account_id, kind }
}

export function ownerOf({ workspace_id, id }: Pick<BeaAccountRecord, 'workspace_id' | 'id'>): SessionOwner {
  return { workspace_id, account_id: id }
}

/** The time of a logout (`logged_out` of an account). */
function timeOf(logout: string): string {
  return logout.slice(0, logout.indexOf(' '))
}

function certificateExpired(): Failure {
  return new Failure(
    'unprocessable',
    'BEA_CERTIFICATE_INVALID',
    'The certificate has expired: disconnect the account and connect it again with a new one.',
  )
}

function isSessionOver(error: unknown): boolean {
  return failureOf(error)?.code === 'BEA_NOT_AUTHENTICATED'
}

/**
 * Runs a gateway call. It stops waiting when the signal aborts, even if the call ignores the signal.
 *
 * @throws Failure BEA_GATEWAY_ERROR if the signal aborts first
 */
export async function withinSignal<Result>(
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(tooSlow())
  signal.addEventListener('abort', end, { once: true })
  try {
    if (signal.aborted) throw tooSlow()
    return await Promise.race([call(signal), ended])
  } catch (error) {
    throw signal.aborted && failureOf(error) === undefined ? tooSlow() : error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function tooSlow(): Failure {
  return new Failure(
    'upstream',
    'BEA_GATEWAY_ERROR',
    'The beA gateway did not answer in time. Try again in a moment.',
  )
}
