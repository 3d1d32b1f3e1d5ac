import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, invalid, required, requiredActive, unknownAt } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import { requireAccount } from '../accounts/require-account.ts'
import { sameSafeId } from '../network/gateway-ports.ts'
import { gatewaySignal } from '../network/gateway-signal.ts'
import type { BeaAccountRecord, BeaAccountStore, UseBeaSession } from '../ports.ts'
import { withinSignal } from '../sessions/session-use.ts'
import { rightsInForce } from './access.ts'
import type { BeaPermissionStore } from './permission-ports.ts'
import type {
  BeaPermission,
  BeaPermissionEntry,
  BeaPermissionInput,
  BeaPermissionRemoval,
} from './permission-schema.ts'
import { type BeaRight, beaRights } from './right-schema.ts'

export type BeaPermissionService = ReturnType<typeof beaPermissionService>

type BeaUsers = {
  find: (workspaceId: string, id: string) => Promise<{ name: string; active: boolean } | undefined>
  names: (workspaceId: string, ids: string[]) => Promise<Map<string, string>>
}

/**
 * Grants and revokes rights of users at accounts (B8). The gateway cannot change rights in the network, so rights that
 * are granted here apply only here.
 */
export function beaPermissionService(deps: {
  accounts: Pick<BeaAccountStore, 'find' | 'findEver'>
  permissions: BeaPermissionStore
  users: BeaUsers
  useBeaSession: UseBeaSession
  pageOut: PageOut
  clock: Clock
}) {
  const { accounts, permissions, users, useBeaSession, pageOut, clock } = deps

  /** The messages and drafts of a disconnected account are kept, and so are the rights to them. */
  const requireEver = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    const account = await accounts.findEver(workspace_id, id)
    required(account, 'BEA_ACCOUNT_NOT_FOUND', unknownAt('body.account_id', id))
  }

  /** The rights that the network returns. @throws Failure BEA_NOT_AUTHENTICATED, BEA_GATEWAY_ERROR */
  const ofNetwork = async (account: BeaAccountRecord): Promise<BeaPermissionEntry[]> => {
    const signal = gatewaySignal()
    const all = await useBeaSession(
      account,
      (connection) => withinSignal(signal, (limit) => connection.accessRights(limit)),
      signal,
    )
    const { postbox_safe_id: own } = account
    return all
      .filter(({ postbox_safe_id: of }) => of === null || own === null || sameSafeId(of, own))
      .map(({ holder, rights, valid_until }) => ({
        bea_id: holder.safe_id,
        name: holder.name,
        rights: rights.toSorted(),
        source: 'network' as const,
        valid_until,
      }))
  }

  const ofWorkspace = async (account: BeaAccountRecord): Promise<BeaPermissionEntry[]> => {
    const { workspace_id, user_id: owner } = account
    const grants = (await permissions.list(workspace_id, account.id)).filter(
      ({ user_id }) => user_id !== owner,
    )
    const names = await users.names(workspace_id, [owner, ...grants.map(({ user_id }) => user_id)])
    const nameOf = (id: string) => names.get(id) ?? null
    const all = {
      user_id: owner,
      name: nameOf(owner),
      rights: beaRights,
      source: 'local' as const,
      valid_until: null,
    }
    const given = grants.flatMap(({ user_id, rights }) => {
      const byEnd = Map.groupBy(rightsInForce(rights, clock.now()), (right) => rights[right] ?? null)
      return [...byEnd].map(([valid_until, ending]) => ({
        user_id,
        name: nameOf(user_id),
        rights: ending,
        source: 'local' as const,
        valid_until,
      }))
    })
    return [all, ...given]
  }

  return {
    /**
     * Grants a user rights at an account, in addition to the rights that the user has. If the user has a right already,
     * its end is replaced. The account may be disconnected. Nobody can grant rights to themselves, or extend their own.
     *
     * @throws Failure BEA_RIGHT_MISSING for the user's own rights, BEA_ACCOUNT_NOT_FOUND; USER_NOT_FOUND, also for a
     * deactivated user; VALIDATION_ERROR for an end that has passed
     */
    async grant(
      actor: Actor,
      { account_id, user_id, rights, valid_until }: BeaPermissionInput,
    ): Promise<Answered<BeaPermission>> {
      if (valid_until !== null && valid_until <= timestamp(clock))
        throw invalid('The end of the rights has passed already.', [
          { path: 'body.valid_until', message: 'This must be in the future.' },
        ])
      if (user_id === actor.user_id) throw notToOneself()
      await requireEver(actor, account_id)
      const { workspace_id } = actor
      requiredActive(await users.find(workspace_id, user_id), 'body.user_id', user_id)
      const given = beaRights.filter((right) => rights.includes(right))
      const granted = { account_id, user_id, rights: given, valid_until }
      return permissions.change({ workspace_id, account_id, user_id }, (current) => ({
        rights: { ...current, ...Object.fromEntries(given.map((right) => [right, valid_until])) },
        answer: granted,
      }))
    },

    /**
     * Revokes rights that a user was granted; `rights: null` revokes all of them. The user who connected the account
     * keeps all rights.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, USER_NOT_FOUND
     */
    async revoke(actor: Actor, { account_id, user_id, rights }: BeaPermissionRemoval): Promise<void> {
      await requireEver(actor, account_id)
      const { workspace_id } = actor
      required(await users.find(workspace_id, user_id), 'USER_NOT_FOUND', unknownAt('body.user_id', user_id))
      const target = { workspace_id, account_id, user_id }
      const isKept = ([right]: [BeaRight, unknown]) => rights !== null && !rights.includes(right)
      await permissions.change(target, (current) => ({
        rights: Object.fromEntries(Object.entries(current).filter(isKept)),
        answer: undefined,
      }))
    },

    /**
     * The rights of an account: the rights of its users here, and the rights in the network.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_NOT_AUTHENTICATED, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
     */
    async list(actor: Actor, accountId: string, request: PageRequest): Promise<Page<BeaPermissionEntry>> {
      const account = await requireAccount(accounts, actor, accountId)
      const network = await ofNetwork(account)
      const all = [...(await ofWorkspace(account)), ...network]
      return pageOut([actor.workspace_id, 'bea_permissions', accountId], all, request, (entry) =>
        JSON.stringify([entry.source, entry.user_id, entry.bea_id, entry.name, entry.valid_until]),
      )
    },
  }
}

function notToOneself(): Failure {
  return new Failure(
    'forbidden',
    'BEA_RIGHT_MISSING',
    'You cannot give beA rights to yourself. Another user with the scope bea:admin can give them to you.',
  )
}
