import type { Actor } from '#kernel/actor.ts'
import type { BeaAccess, BeaAccountStore, BeaMessageRecord, SeenMessages } from '../ports.ts'
import type { BeaRight } from './right-schema.ts'
import { type BeaOperation, mayDo } from './rights.ts'

export type BeaVisibility = ReturnType<typeof beaVisibility>

/**
 * The part of messages that a user sees (B8). Without the right 01 a user sees nothing; with it, sender, date and size.
 * With 06, or 11 for a confidential message, the user sees everything. Disconnected accounts keep their messages and the
 * rights to them.
 */
export function beaVisibility(deps: {
  accounts: Pick<BeaAccountStore, 'findEver' | 'listEver'>
  access: BeaAccess
}) {
  const { accounts, access } = deps
  const ofUser = async (
    user: Pick<Actor, 'workspace_id' | 'user_id'>,
  ): Promise<(one: { account_id: string; operation: BeaOperation }) => boolean> => {
    const all = await accounts.listEver(user.workspace_id)
    const rights = new Map(
      await Promise.all(
        all.map(async (account) => [account.id, await access.rightsOf(user, account)] as const),
      ),
    )
    return ({ account_id, operation }) => mayDo(rights.get(account_id) ?? [], operation)
  }

  return {
    /** A function that says whether the user may do an operation at an account, with any key. */
    ofUser,

    /** The visible part of the messages of each account; empty if the key may not read beA. */
    async ofAll(actor: Actor): Promise<SeenMessages[]> {
      if (!actor.scopes.includes('bea:read')) return []
      const all = await accounts.listEver(actor.workspace_id)
      const seen = await Promise.all(
        all.map(async (account) => seenWith(account.id, await access.rightsOf(actor, account))),
      )
      return seen.flat()
    },

    /** As `ofUser`, with this key: if the key may not read beA, the function always returns false. */
    async ofAllAccounts(actor: Actor): ReturnType<typeof ofUser> {
      return actor.scopes.includes('bea:read') ? ofUser(actor) : () => false
    },

    /** The rights of the user at the account of a message; none if there is no such account. */
    async rightsAt(
      actor: Actor,
      { account_id }: Pick<BeaMessageRecord, 'account_id'>,
    ): Promise<ReadonlySet<BeaRight>> {
      const account = await accounts.findEver(actor.workspace_id, account_id)
      return account === undefined ? new Set() : access.rightsOf(actor, account)
    },

    /** Whether the user may read a message with this key. */
    async mayRead(
      actor: Actor,
      message: Pick<BeaMessageRecord, 'account_id' | 'confidential'>,
    ): Promise<boolean> {
      if (!actor.scopes.includes('bea:read')) return false
      const account = await accounts.findEver(actor.workspace_id, message.account_id)
      return account !== undefined && mayDo(await access.rightsOf(actor, account), readingOf(message))
    },
  }
}

export function readingOf({ confidential }: Pick<BeaMessageRecord, 'confidential'>) {
  return confidential ? ('read_confidential' as const) : ('read' as const)
}

/** The operation of answering the message's request for a receipt. */
export function answeringOf({ confidential }: Pick<BeaMessageRecord, 'confidential'>) {
  return confidential ? ('answer_eeb_confidential' as const) : ('answer_eeb' as const)
}

function seenWith(account_id: string, rights: ReadonlySet<BeaRight>): SeenMessages[] {
  if (!mayDo(rights, 'see')) return []
  return [false, true].map((confidential) => ({
    account_id,
    confidential,
    mayRead: mayDo(rights, readingOf({ confidential })),
  }))
}
