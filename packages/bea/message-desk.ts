import { beaItem, type FilingInput, type InboxItem } from '#inbox/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, failureOf, notFound } from '#kernel/failure.ts'
import { willAnswer } from '#kernel/idempotency.ts'
import type { Triage } from '#triage/schema.ts'
import { assigned, assigningOf, dismissed, type FiledBy, reopened, requireInbox } from './filing.ts'
import { requireParty } from './messages.ts'
import type { BeaMessageChange, BeaMessageRecord, BeaMessageStore, BeaParties } from './ports.ts'
import { rightMissing } from './require-right.ts'
import { mayDo } from './rights.ts'
import { type BeaSight, readingOf } from './sight.ts'

/**
 * What people do with beA messages in the inbox (I6). It needs the scopes that reading and filing beA messages need
 * elsewhere (B3), and the right 08, for a confidential one 11 too (B8); what somebody does not see is not in the inbox.
 */
export function messageDesk(deps: {
  store: Pick<BeaMessageStore, 'find' | 'change'>
  parties: BeaParties
  users: { find: (workspaceId: string, id: string) => Promise<object | undefined> }
  sight: BeaSight
  /** What the triage says of a message; null where it has not judged it. */
  findTriage: (workspaceId: string, id: string) => Promise<Triage | null>
  clock: Clock
}) {
  const { store, parties, users, sight, findTriage, clock } = deps

  const change = async (
    actor: Actor,
    id: string,
    decide: (current: BeaMessageRecord, by: FiledBy) => BeaMessageChange | undefined,
  ): Promise<InboxItem> => {
    const before = await store.find(actor.workspace_id, id)
    if (before === undefined || before.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
    const lacking = neededScopes.find((scope) => !actor.scopes.includes(scope))
    if (lacking !== undefined) throw scopeMissing(lacking)
    const rights = await sight.rightsAt(actor, before)
    if (!mayDo(rights, 'see')) throw notFound('INBOX_ITEM_NOT_FOUND')
    if (!mayDo(rights, assigningOf(before))) throw rightMissing(assigningOf(before))
    const by = {
      actor: { type: 'user' as const, id: actor.user_id, name: actor.user_name },
      at: timestamp(clock),
    }
    const triage = await findTriage(actor.workspace_id, id)
    const view = (record: BeaMessageRecord) => {
      const mayRead = mayDo(rights, readingOf(record))
      return beaItem(record, requireInbox(record), { mayRead, triage: mayRead ? triage : null })
    }
    const record = await store
      .change(actor.workspace_id, id, (current) => {
        const change = decide(current, by)
        willAnswer(view(change?.record ?? current))
        return change
      })
      .catch((error: unknown) => {
        throw failureOf(error)?.code === 'BEA_MESSAGE_NOT_FOUND' ? notFound('INBOX_ITEM_NOT_FOUND') : error
      })
    return view(record)
  }

  return {
    /**
     * Files a message in a case, with a party, or hands it to a user.
     *
     * @throws Failure INBOX_ITEM_NOT_FOUND, AUTH_INSUFFICIENT_SCOPE, BEA_RIGHT_MISSING, CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND
     */
    async file(actor: Actor, id: string, input: FilingInput): Promise<InboxItem> {
      await requireParty(parties, actor, input.party_id)
      const { assigned_to } = input
      if (assigned_to != null && (await users.find(actor.workspace_id, assigned_to)) === undefined)
        throw notFound('USER_NOT_FOUND')
      return change(actor, id, (current, by) => assigned(current, input, by))
    },

    /** Takes a message out of the inbox without filing it. @throws Failure INBOX_ITEM_NOT_FOUND, BEA_RIGHT_MISSING */
    dismiss: (actor: Actor, id: string) => change(actor, id, dismissed),

    /** Brings a message back into the inbox, out of its case. @throws Failure INBOX_ITEM_NOT_FOUND, BEA_RIGHT_MISSING */
    reopen: (actor: Actor, id: string) => change(actor, id, reopened),
  }
}

const neededScopes = ['bea:read', 'bea:write'] as const

function scopeMissing(scope: string): Failure {
  return new Failure(
    'forbidden',
    'AUTH_INSUFFICIENT_SCOPE',
    `Filing a beA message also needs the scope ${scope}.`,
  )
}
