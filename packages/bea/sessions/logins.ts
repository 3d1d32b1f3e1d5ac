import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type { SecretBox } from '#kernel/secret-box.ts'
import type { BeaSession } from '../accounts/account-schema.ts'
import { requireAccount } from '../accounts/require-account.ts'
import {
  type BeaGateway,
  type DecryptingStep,
  type GatewaySession,
  notAuthenticated,
  type RelayItem,
  type SigningStep,
} from '../network/gateway-ports.ts'
import { gatewaySignal } from '../network/gateway-signal.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import type { BeaLoginRecord, BeaLoginStore } from './session-ports.ts'
import type { BeaLocalLogin, BeaLocalLoginInput } from './session-schema.ts'
import type { SessionStates } from './session-states.ts'
import { type BeaSessions, sealedAs, withinSignal } from './session-use.ts'

export type BeaLoginService = ReturnType<typeof beaLoginService>

/** A login with a card must be finished within this time (B4). */
const loginMilliseconds = 5 * 60_000

/** Logins and their sessions (B3, B4). */
export function beaLoginService(deps: {
  accounts: Pick<BeaAccountStore, 'find' | 'change'>
  sessions: BeaSessions
  states: SessionStates
  logins: BeaLoginStore
  secrets: SecretBox
  gateway: BeaGateway
  clock: Clock
}) {
  const { accounts, sessions, states, logins, secrets, gateway, clock } = deps

  const sealedFor = ({ workspace_id, id, account_id, user_id }: Omit<BeaLoginRecord, 'sealed'>) =>
    sealedAs(`login ${id} of ${user_id}`, { workspace_id, account_id })

  const keep = async (
    login: Omit<BeaLoginRecord, 'sealed'>,
    state: SigningStep | DecryptingStep,
    answer: BeaLocalLogin,
  ): Promise<Answered<BeaLocalLogin>> => {
    const sealed = await secrets.seal(JSON.stringify(state), sealedFor(login))
    return logins.put({ record: { ...login, sealed }, answer })
  }

  /** Takes a login out of the store, so that each step can be taken once. @throws Failure BEA_NOT_AUTHENTICATED */
  const take = async <State>({ workspace_id, user_id }: Actor, id: string, step: BeaLoginRecord['step']) => {
    const login = await logins.take({ workspace_id, user_id, id, step }, clock.now())
    if (login === undefined)
      throw notAuthenticated(
        'This step of the login is not the next one, or the login took longer than five minutes.',
      )
    const { sealed, ...rest } = login
    return { login: rest, state: JSON.parse(await secrets.open(sealed, sealedFor(rest))) as State }
  }

  /** Runs a step of a login at the gateway. If the network has locked the account, its status becomes `locked`. */
  const asking = <Step>(
    account: BeaAccountRecord,
    call: (signal: AbortSignal) => Promise<Step>,
    signal: AbortSignal,
  ): Promise<Step> => sessions.recordingLock(account, () => withinSignal(signal, call))

  const begin = async (actor: Actor, accountId: string): Promise<Answered<BeaLocalLogin>> => {
    const account = await sessions.loginAccountOf(
      await requireAccount(accounts, actor, accountId, 'body.account_id'),
    )
    const { certificate: shown, certificate_pem: pem, owner_name } = account
    if (shown === null || pem === null) throw new Error(`The account ${account.id} has no certificate.`)
    const certificate = { ...shown, pem, owner_name }
    const step = await asking(account, (signal) => gateway.startLogin(certificate, signal), gatewaySignal())
    const login = {
      workspace_id: actor.workspace_id,
      id: newId('beaLogin'),
      account_id: account.id,
      user_id: actor.user_id,
      step: 'sign' as const,
      expires_at: new Date(clock.now().getTime() + loginMilliseconds).toISOString(),
    }
    return keep(login, step, { login_id: login.id, step: 'sign', challenges: step.challenges })
  }

  const sign = async (
    actor: Actor,
    id: string,
    signatures: RelayItem[],
  ): Promise<Answered<BeaLocalLogin>> => {
    const { login, state } = await take<SigningStep>(actor, id, 'sign')
    const account = await requireAccount(accounts, actor, login.account_id)
    const step = await asking(
      account,
      (signal) => gateway.answerChallenges(state, signatures, signal),
      gatewaySignal(),
    )
    return keep({ ...login, step: 'decrypt' }, step, { login_id: id, step: 'decrypt', keys: step.keys })
  }

  const finish = async (actor: Actor, id: string, keys: RelayItem[]): Promise<Answered<BeaLocalLogin>> => {
    const { login, state } = await take<DecryptingStep>(actor, id, 'decrypt')
    const account = await requireAccount(accounts, actor, login.account_id)
    const signal = gatewaySignal()
    const given = await asking(account, (limit) => gateway.finishLogin(state, keys, limit), signal)
    // A login has two keys. The network checks only the validation key, so the session key is still untested.
    const session: GatewaySession = { ...given, is_key_untested: true }
    const begun = { account, session }
    const { account: known, session: newest } =
      account.safe_id === null ? await firstSession(begun, signal) : begun
    await sessions.adopt(known, newest, signal)
    return unchanged<BeaLocalLogin>(await states.stateOf(known))
  }

  /**
   * Stores the SAFE-ID that the first login of a card gives. If the login does not see the postbox of this SAFE-ID, the
   * answer was for another user.
   *
   * @returns the account, and the session with its newest token
   * @throws Failure BEA_ACCOUNT_EXISTS, BEA_GATEWAY_ERROR; then the session is ended
   */
  const firstSession = async (
    { account: { workspace_id, id }, session }: { account: BeaAccountRecord; session: GatewaySession },
    signal: AbortSignal,
  ) => {
    const { safe_id } = session
    const connection = await gateway.connect(session)
    try {
      await withinSignal(signal, (limit) => connection.postboxes(limit))
      const account = await accounts.change(workspace_id, id, (current) =>
        current.safe_id === null ? { ...current, safe_id, postbox_safe_id: safe_id } : undefined,
      )
      return { account, session: connection.session() }
    } catch (error) {
      await sessions.endAtGateway(connection)
      throw error
    }
  }

  return {
    /**
     * Opens a session with the stored key. An existing session continues if the gateway still accepts it.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_LOCAL_LOGIN_REQUIRED, BEA_ACCOUNT_LOCKED, BEA_CERTIFICATE_INVALID,
     *   BEA_GATEWAY_ERROR
     */
    async logIn(actor: Actor, accountId: string): Promise<BeaSession> {
      const account = await requireAccount(accounts, actor, accountId, 'body.account_id')
      const login = await sessions.loginAccountOf(account)
      if (login.kind === 'card') throw localLoginRequired()
      await sessions.logIn(login, gatewaySignal())
      return states.stateOf(account)
    },

    /**
     * Takes one of the three steps of a login by card (B4). Each step can be taken once, by the user who began.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_NOT_AUTHENTICATED, BEA_CERTIFICATE_INVALID, BEA_ACCOUNT_LOCKED,
     *   BEA_ACCOUNT_EXISTS, BEA_GATEWAY_ERROR
     */
    logInByCard(actor: Actor, input: BeaLocalLoginInput): Promise<Answered<BeaLocalLogin>> {
      const { account_id, signatures, keys } = input
      if (account_id != null) return begin(actor, account_id)
      const login_id = input.login_id ?? ''
      return signatures == null ? finish(actor, login_id, keys ?? []) : sign(actor, login_id, signatures)
    },

    /**
     * Ends the session; for a Kanzlei postbox, the session of its login account. No background work logs in until a user
     * does.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND
     */
    async logOut(actor: Actor, accountId: string): Promise<void> {
      const account = await requireAccount(accounts, actor, accountId)
      await sessions.logOut(await sessions.loginAccountOf(account))
    },

    /** The state of the session as stored, without a call to the network. @throws Failure BEA_ACCOUNT_NOT_FOUND */
    session: async (actor: Actor, accountId: string): Promise<BeaSession> =>
      states.stateOf(await requireAccount(accounts, actor, accountId)),
  }
}

function localLoginRequired(): Failure {
  return conflict(
    'BEA_LOCAL_LOGIN_REQUIRED',
    'A card logs in to this account: use /api/v1/bea/auth/local-login.',
  )
}
