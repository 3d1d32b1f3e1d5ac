import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, Failure, invalid, notFound, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { SecretBox } from '#kernel/secret-box.ts'
import {
  type BeaGateway,
  type GatewaySession,
  type KeyMaterial,
  type KeyTools,
  sameSafeId,
} from '../network/gateway-ports.ts'
import { gatewaySignal } from '../network/gateway-signal.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import type { BeaPermissionStore } from '../rights/permission-ports.ts'
import { beaRights } from '../rights/right-schema.ts'
import { type BeaSessions, ownerOf, sealedAs, withinSignal } from '../sessions/session-use.ts'
import { shownSync } from '../sync/sync-state.ts'
import type { BeaAccount } from './account-schema.ts'
import {
  type BeaAccountFields,
  type BeaAccountInput,
  type BeaEdaMahnInput,
  type BeaKanzleiInput,
  maxCertificateBytes,
} from './connecting-schema.ts'
import { requireAccount } from './require-account.ts'

/** The largest number of postboxes that a workspace may connect. */
const maxAccounts = 100

export type BeaAccountService = ReturnType<typeof beaAccountService>

/** Connects beA postboxes with the workspace (B2). */
export function beaAccountService(deps: {
  accounts: BeaAccountStore
  permissions: Pick<BeaPermissionStore, 'find'>
  users: { find: (workspaceId: string, id: string) => Promise<{ active: boolean } | undefined> }
  sessions: BeaSessions
  secrets: SecretBox
  gateway: BeaGateway
  tools: KeyTools
  pageOut: PageOut
  clock: Clock
}) {
  const { accounts, permissions, users, sessions, secrets, gateway, tools, pageOut, clock } = deps

  /**
   * The user who has all rights to an account that is connected again. This is the new user if that user presents the key
   * of the account. The certificate of a card is not secret, so its account stays with the earlier user. A Kanzlei postbox
   * uses the login of the new user, which the earlier user must not get. It has messages of the earlier user, to which the
   * new login may have no rights. So it goes to the new user only if the earlier one is deactivated, or if somebody
   * has granted the new user all rights without an end.
   *
   * @throws Failure BEA_RIGHT_MISSING
   */
  const userAfter = async (
    { user_id }: Actor,
    { workspace_id, id, user_id: earlier }: BeaAccountRecord,
    kind: BeaAccountRecord['kind'],
    key: KeyMaterial | null,
  ): Promise<string> => {
    if (key !== null || user_id === earlier) return user_id
    if (kind === 'card') return earlier
    const [user, rights] = await Promise.all([
      users.find(workspace_id, earlier),
      permissions.find(workspace_id, id, user_id),
    ])
    if (user?.active && !beaRights.every((right) => rights[right] === null)) throw notTheirPostbox()
    return user_id
  }

  /**
   * Stores an account with its sealed key. A disconnected account is connected again under its id, so that it keeps its
   * messages and the rights to them.
   */
  const add = async (
    actor: Actor,
    made: Pick<
      BeaAccountRecord,
      | 'label'
      | 'kind'
      | 'safe_id'
      | 'owner_name'
      | 'postbox_safe_id'
      | 'login_account_id'
      | 'certificate'
      | 'certificate_pem'
    >,
    key: KeyMaterial | null,
  ): Promise<Answered<BeaAccount>> => {
    const { workspace_id, user_id } = actor
    const earlier = await accounts.findSame(workspace_id, made)
    if (earlier?.disconnected_at === null) throw alreadyConnected()
    if ((await accounts.list(workspace_id)).length >= maxAccounts) throw tooMany()
    const record: BeaAccountRecord = {
      workspace_id,
      id: earlier?.id ?? newId('beaAccount'),
      user_id: earlier === undefined ? user_id : await userAfter(actor, earlier, made.kind, key),
      ...made,
      // A card that has logged in before has the same SAFE-ID again.
      safe_id: made.safe_id ?? earlier?.safe_id ?? null,
      postbox_safe_id: made.postbox_safe_id ?? earlier?.postbox_safe_id ?? null,
      status: 'connected',
      last_sync: null,
      eda_mahn: earlier?.eda_mahn ?? null,
      created_at: timestamp(clock),
      disconnected_at: null,
      version: (earlier?.version ?? 0) + 1,
    }
    const sealed = key && (await secrets.seal(JSON.stringify(key), sealedAs('key', ownerOf(record))))
    return accounts.add({ record, answer: shownAccount(record, clock.now()) }, sealed)
  }

  /**
   * Logs in once to learn the SAFE-ID, and logs out. If the login does not see its own postbox, the answer was for
   * another user.
   *
   * @throws Failure BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
   */
  const verify = async (material: KeyMaterial): Promise<GatewaySession> => {
    const signal = gatewaySignal()
    const session = await withinSignal(signal, (limit) => sessions.logInWith(material, limit))
    const connection = await gateway.connect(session)
    try {
      await withinSignal(signal, (limit) => connection.postboxes(limit))
    } finally {
      await sessions.endAtGateway(connection)
    }
    return session
  }

  const connect = async (
    actor: Actor,
    bytes: Uint8Array,
    { passphrase, label }: BeaAccountFields,
  ): Promise<Answered<BeaAccount>> => {
    const { certificate: opened, private_key_pem } = await tools.open(bytes, passphrase, clock.now())
    const { pem: certificate_pem, owner_name, ...certificate } = opened
    const all = await accounts.list(actor.workspace_id)
    if (all.some((account) => account.certificate?.thumbprint === certificate.thumbprint))
      throw alreadyConnected()
    const made = { label, owner_name, login_account_id: null, certificate, certificate_pem }
    if (private_key_pem === null)
      return add(actor, { ...made, kind: 'card', safe_id: null, postbox_safe_id: null }, null)
    const material = { certificate: opened, private_key_pem }
    const { safe_id } = await verify(material)
    return add(actor, { ...made, kind: 'person', safe_id, postbox_safe_id: safe_id }, material)
  }

  return {
    /**
     * Connects a postbox with a certificate. If the certificate has a key, this logs in once, stores the key sealed, and
     * discards the passphrase. Otherwise a card logs in, and the SAFE-ID is known after the first local-login.
     *
     * @throws Failure BEA_CERTIFICATE_INVALID, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR, BEA_ACCOUNT_EXISTS
     */
    connect: (
      actor: Actor,
      { certificate_base64, ...fields }: BeaAccountInput,
    ): Promise<Answered<BeaAccount>> => connect(actor, Buffer.from(certificate_base64, 'base64'), fields),

    /** The same with a file from a form. @throws Failure as `connect`, and 413 for a file over 1 MiB */
    async connectFile(
      actor: Actor,
      files: { certificate: { bytes: Uint8Array } | undefined; file: { bytes: Uint8Array } | undefined },
      fields: BeaAccountFields,
    ): Promise<Answered<BeaAccount>> {
      const file = files.certificate ?? files.file
      if (file === undefined)
        throw invalid('The form has no certificate.', [
          { path: 'body.certificate', message: 'A file `certificate` or `file` is required.' },
        ])
      if (file.bytes.length > maxCertificateBytes)
        throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', 'A certificate has at most 1 MiB.')
      return connect(actor, file.bytes, fields)
    },

    /**
     * Connects a postbox that the login of another account sees: the postbox of an office, or of somebody who gave
     * rights to the holder of that account.
     *
     * Only the user who connected that other account may connect it, and then has all rights to it. If another user, who
     * is still active, connected the postbox before, this needs all rights to it, without an end.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, BEA_POSTBOX_NOT_FOUND, BEA_ACCOUNT_EXISTS,
     * BEA_NOT_AUTHENTICATED for a card without a session, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
     */
    async connectKanzlei(actor: Actor, input: BeaKanzleiInput): Promise<Answered<BeaAccount>> {
      const { login_account_id } = input
      const named = await requireAccount(accounts, actor, login_account_id, 'body.login_account_id')
      const login = await sessions.loginAccountOf(named)
      if (login.user_id !== actor.user_id) throw notTheirLogin()
      const signal = gatewaySignal()
      const postboxes = await sessions.useBeaSession(
        login,
        (connection) => withinSignal(signal, (limit) => connection.postboxes(limit)),
        signal,
        { mayLogIn: true },
      )
      const postbox = postboxes.find((one) => sameSafeId(one.postbox_safe_id, input.postbox_safe_id))
      if (postbox === undefined)
        throw notFound('BEA_POSTBOX_NOT_FOUND', unknownAt('body.postbox_safe_id', input.postbox_safe_id))
      const { postbox_safe_id } = postbox
      const made = {
        label: input.label,
        kind: 'kanzlei' as const,
        safe_id: postbox_safe_id,
        owner_name: postbox.name ?? input.label,
        postbox_safe_id,
        login_account_id: login.id,
        certificate: null,
        certificate_pem: null,
      }
      return add(actor, made, null)
    },

    /** The connected postboxes of the workspace, the newest first. */
    async list({ workspace_id }: Actor, request: PageRequest): Promise<Page<BeaAccount>> {
      const all = (await accounts.list(workspace_id)).toReversed()
      const page = await pageOut([workspace_id, 'bea_accounts'], all, request, ({ id }) => id)
      return { ...page, data: page.data.map((account) => shownAccount(account, clock.now())) }
    },

    /** @throws Failure BEA_ACCOUNT_NOT_FOUND */
    get: async (actor: Actor, id: string): Promise<BeaAccount> =>
      shownAccount(await requireAccount(accounts, actor, id), clock.now()),

    /** Stores the data for the electronic exchange with the courts for payment orders. @throws Failure BEA_ACCOUNT_NOT_FOUND */
    async setEdaMahn({ workspace_id }: Actor, id: string, eda_mahn: BeaEdaMahnInput): Promise<BeaAccount> {
      const changed = await accounts.change(workspace_id, id, (current) => ({ ...current, eda_mahn }))
      return shownAccount(changed, clock.now())
    },

    /**
     * Disconnects a postbox: forgets its key, and ends its session here and at the gateway. Messages, drafts and rights
     * to them stay. The session of a Kanzlei postbox belongs to its login account and continues.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND
     */
    async disconnect(actor: Actor, id: string): Promise<void> {
      const account = await requireAccount(accounts, actor, id)
      await accounts.disconnect(actor.workspace_id, id, timestamp(clock))
      if (account.kind !== 'kanzlei') await sessions.end(account)
    },
  }
}

/** An account as shown to users: with the current status of its certificate and of its last synchronisation. */
export function shownAccount(record: BeaAccountRecord, now: Date): BeaAccount {
  const { workspace_id: _, user_id: _user, certificate_pem: _pem, ...rest } = record
  const { disconnected_at: _at, logged_out: _out, version: _version, ...account } = rest
  const isOver = account.certificate !== null && account.certificate.valid_to <= now.toISOString()
  return {
    ...account,
    last_sync: shownSync(account.last_sync, now),
    status: isOver ? 'certificate_expired' : account.status,
  }
}

function tooMany(): Failure {
  return invalid(`A workspace has at most ${maxAccounts} connected postboxes. Disconnect one first.`)
}

function alreadyConnected(): Failure {
  return conflict('BEA_ACCOUNT_EXISTS', 'This postbox is connected already: disconnect that account first.')
}

function notTheirPostbox(): Failure {
  return new Failure(
    'forbidden',
    'BEA_RIGHT_MISSING',
    'Another user connected this postbox before. To connect it with your login, you need all rights to it, without an end. Another user with the scope bea:admin can give them to you.',
  )
}

function notTheirLogin(): Failure {
  return new Failure(
    'forbidden',
    'BEA_RIGHT_MISSING',
    'Only the user who connected the login account may connect the postboxes that it sees.',
  )
}
