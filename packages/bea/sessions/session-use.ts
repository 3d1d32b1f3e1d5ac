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
  notAuthenticated,
  sameSafeId,
} from '../network/gateway-ports.ts'
import type { BeaAccountRecord, BeaAccountStore, UseBeaSession } from '../ports.ts'
import { leasedConnection } from './leased-connection.ts'
import { type HeldLease, sessionLeases } from './session-lease.ts'
import type { BeaKeyStore, BeaSessionStore, SessionOwner, StoredSession } from './session-ports.ts'
import { isExpired } from './session-states.ts'

export type BeaSessions = ReturnType<typeof beaSessions>

/** The time limit for ending a session at the gateway. A failure there stops nothing else. */
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

  /** @throws Failure BEA_ACCOUNT_NOT_FOUND */
  const found = (account: Pick<BeaAccountRecord, 'workspace_id' | 'id'>) =>
    requireAccount(accounts, account, account.id)

  /**
   * The account that logs in for this one: its own login account for a Kanzlei postbox, otherwise itself.
   *
   * @throws Failure BEA_NOT_AUTHENTICATED if the login account was disconnected
   */
  const loginAccountOf = async (account: BeaAccountRecord): Promise<BeaAccountRecord> => {
    if (account.login_account_id === null) return account
    const login = await accounts.find(account.workspace_id, account.login_account_id)
    if (login === undefined)
      throw notAuthenticated('The account that logs in for this postbox is disconnected.')
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

  /** Ends a session if its SAFE-ID is not the account's. @throws Failure BEA_GATEWAY_ERROR */
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

  /** Marks an account as locked if a call or a step of a login reports it. */
  const notingLock = <Result>(account: BeaAccountRecord, work: () => Promise<Result>): Promise<Result> =>
    work().catch(async (error: unknown) => {
      if (failureOf(error)?.code === 'BEA_ACCOUNT_LOCKED') await setStatus(account, 'locked')
      throw error
    })

  /** The same; if the work succeeds, the account is no longer locked. */
  const noting = async <Result>(account: BeaAccountRecord, work: () => Promise<Result>): Promise<Result> => {
    const result = await notingLock(account, work)
    if (account.status === 'locked') await setStatus(account, 'connected')
    return result
  }

  /** Stores the session of a new login; the account is no longer locked. */
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

  /** Whether somebody logged in since the account was logged out or disconnected. */
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
      // The holder of the session ends it right after its use.
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
    {
      mayLogIn = false,
      yields = false,
      orderedAt,
      isLogin = false,
    }: { mayLogIn?: boolean; yields?: boolean; orderedAt?: string; isLogin?: boolean },
  ): Promise<Result> => {
    const account = await loginAccountOf(await found(target))
    const owner = ownerOf(account)
    const loggedOut = account.logged_out ?? null
    /** The session is ended after this use. */
    let isLast = loggedOut !== null && !isLogin
    const isDoneAllTheSame = (logout: string) => orderedAt !== undefined && orderedAt <= timeOf(logout)
    if (isLast && !isDoneAllTheSame(loggedOut ?? '')) {
      // The process that had to end it may have died, so end it here.
      if (mayLogIn && (await sessions.find(owner)) !== undefined) await end(account)
      throw notAuthenticated()
    }
    const endedBy = async () => {
      const current = await accounts.find(owner.workspace_id, owner.account_id)
      const logout = current?.logged_out ?? null
      if (current !== undefined && (logout === null || logout === loggedOut)) return undefined
      isLast = true
      if (logout !== null && isDoneAllTheSame(logout)) return undefined
      return notAuthenticated('Somebody has logged out of this account meanwhile.')
    }
    return leases.hold(owner, { signal, yields, endedBy }, async (lease, onChange) => {
      let since = lease.stored?.since ?? timestamp(clock)
      let mayBeSent = false

      /** Uses a session; from here on its newest token is stored. */
      const useOf = async (session: GatewaySession) => {
        const connection = await gateway.connect(session)
        const isOver = { value: false }
        onChange(async () => (isOver.value || isLast ? null : sealed(owner, connection.session(), since)))
        const leased = leasedConnection(connection, lease.lost, (isSending) => {
          mayBeSent = isSending
        })
        try {
          return await noting(account, () => use(leased, lease.isWanted))
        } catch (error) {
          if (isSessionOver(error)) isOver.value = true
          throw error
        } finally {
          if (isLast) await endAtGateway(connection)
        }
      }
      const useNew = async () => {
        const material = await storedKey(owner)
        const session = await noting(account, () =>
          withinSignal(signal, (limit) => logInWith(material, AbortSignal.any([limit, lease.lost]))),
        )
        if (isLast) await refuseAnother(account, session)
        else since = (await begin(lease, account, session)).since
        return useOf(session)
      }

      const left = await open(owner, lease.stored)
      const isLeft = isLogin && loggedOut !== null
      if (isLeft && left !== null) await endAtGateway(await gateway.connect(left))
      const session = isLeft ? null : left
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

  const useBeaSession: UseBeaSession = (target, use, signal, options = {}) =>
    useSession(target, use, signal, options)

  return {
    useBeaSession,
    loginAccountOf,
    notingLock,
    logInWith,
    endAtGateway,

    /**
     * Opens a session with the stored key; a session that the gateway still knows continues. Ends a logout.
     *
     * @throws Failure BEA_ACCOUNT_LOCKED, BEA_CERTIFICATE_INVALID, BEA_GATEWAY_ERROR, 503
     */
    async logIn(account: BeaAccountRecord, signal: AbortSignal): Promise<void> {
      const login = await loginAccountOf(account)
      const check = (connection: BeaConnection) => withinSignal(signal, (limit) => connection.check(limit))
      await useSession(login, check, signal, { mayLogIn: true, isLogin: true })
    },

    /** Stores the session of a login by card, instead of an older one. `account` is a login account. */
    async take(
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
     * Logs out of a login account, until somebody logs in. The session is ended here and at the gateway, as soon as
     * nobody uses it. A use of more than 20 seconds ends the session itself.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND
     */
    async logOut({ workspace_id, id }: BeaAccountRecord): Promise<void> {
      const logged_out = `${timestamp(clock)} ${randomUUID()}`
      await end(await accounts.change(workspace_id, id, (current) => ({ ...current, logged_out })))
    },

    /** Ends the session of a login account that was disconnected, as `logOut` does. */
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

/** When somebody logged out. */
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
 * Runs a gateway call, and stops waiting when the signal aborts, even if the call ignores the signal.
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
