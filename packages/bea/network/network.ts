import type { Actor } from '#kernel/actor.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { BeaFolder } from '../accounts/account-schema.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { BeaAccess, BeaAccountRecord, BeaAccountStore, UseBeaSession } from '../ports.ts'
import { requireRight, rightMissing } from '../rights/require-right.ts'
import { mayDo } from '../rights/rights.ts'
import type { SessionStates } from '../sessions/session-states.ts'
import { withinSignal } from '../sessions/session-use.ts'
import { type BeaConnection, notAuthenticated, type RemoteIdentity, sameSafeId } from './gateway-ports.ts'
import { gatewaySignal } from './gateway-signal.ts'
import type { BeaDirectoryEntry, BeaDirectoryQuery, BeaPostbox } from './network-schema.ts'

export type BeaNetworkService = ReturnType<typeof beaNetworkService>

/** The maximum number of entries in an answer of the directory. Users find the others with a more precise search. */
const maxResults = 200

/** Look-ups in the network: folders, postboxes, the directory (B5). Each needs a session. */
export function beaNetworkService(deps: {
  accounts: Pick<BeaAccountStore, 'find' | 'list'>
  access: BeaAccess
  states: SessionStates
  useBeaSession: UseBeaSession
  pageOut: PageOut
}) {
  const { accounts, access, states, useBeaSession, pageOut } = deps

  const ask = <Result>(
    account: BeaAccountRecord,
    call: (connection: BeaConnection, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const signal = gatewaySignal()
    return useBeaSession(
      account,
      (connection) => withinSignal(signal, (limit) => call(connection, limit)),
      signal,
    )
  }

  /** The account whose session a search uses. @throws Failure as `search` */
  const searching = async (actor: Actor, accountId: string | undefined): Promise<BeaAccountRecord> => {
    if (accountId !== undefined) {
      const account = await requireAccount(accounts, actor, accountId)
      await requireRight(access, actor, account, 'search_directory')
      return account
    }
    const all = await accounts.list(actor.workspace_id)
    const permitted: BeaAccountRecord[] = []
    for (const account of all)
      if (mayDo(await access.rightsOf(actor, account), 'search_directory')) permitted.push(account)
    if (all.length > 0 && permitted.length === 0) throw rightMissing('search_directory')
    for (const account of permitted) if (await states.isActive(account)) return account
    throw notAuthenticated('None of your accounts has a session with beA.')
  }

  return {
    /**
     * The folders of a postbox. Needs the right to see its messages.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, BEA_NOT_AUTHENTICATED, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
     */
    async folders(actor: Actor, accountId: string, request: PageRequest): Promise<Page<BeaFolder>> {
      const account = await requireAccount(accounts, actor, accountId)
      await requireRight(access, actor, account, 'see')
      const { postbox_safe_id } = account
      if (postbox_safe_id === null) throw notAuthenticated()
      const listed = await ask(account, (connection, signal) => connection.folders(postbox_safe_id, signal))
      const folders = listed.filter((folder) => folder !== null)
      return pageOut([actor.workspace_id, 'bea_folders', accountId], folders, request, ({ id }) => id)
    },

    /**
     * The postboxes that the login of an account sees, its own among them.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_NOT_AUTHENTICATED, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
     */
    async postboxes(actor: Actor, accountId: string, request: PageRequest): Promise<Page<BeaPostbox>> {
      const account = await requireAccount(accounts, actor, accountId)
      const postboxes = await ask(account, async (connection, signal) => ({
        all: await connection.postboxes(signal),
        safeId: connection.session().safe_id,
      }))
      const data = postboxes.all.map(({ postbox_safe_id, name }) => ({
        postbox_safe_id,
        name,
        own: sameSafeId(postbox_safe_id, postboxes.safeId),
      }))
      const binding = [actor.workspace_id, 'bea_postboxes', accountId]
      return pageOut(binding, data, request, (postbox) => postbox.postbox_safe_id)
    },

    /**
     * Searches the directory of the network. It uses the session of the given account, or of the first account that has a
     * session and at which the user has the right 03. Returns at most 200 entries.
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, BEA_NOT_AUTHENTICATED, BEA_ACCOUNT_LOCKED, BEA_GATEWAY_ERROR
     */
    async search(
      actor: Actor,
      { q, city, account_id }: BeaDirectoryQuery,
    ): Promise<{ results: BeaDirectoryEntry[] }> {
      const account = await searching(actor, account_id)
      const query = { ...(q && { q }), ...(city && { city }) }
      const identities = await ask(account, (connection, signal) => connection.search(query, signal))
      return { results: identities.flatMap(entryOf).slice(0, maxResults) }
    },
  }
}

/**
 * An entry of the directory; empty for an identity without a SAFE-ID, which cannot receive messages. The gateway marks
 * only some of the inactive postboxes.
 */
function entryOf({ safe_id, name, firm, city, is_active }: RemoteIdentity): BeaDirectoryEntry[] {
  if (safe_id === null) return []
  return [{ bea_id: safe_id, name, firm, city, postfach_active: is_active !== false }]
}
