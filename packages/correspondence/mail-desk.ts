import { type FilingInput, type InboxItem, mailItem } from '#inbox/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, notFound } from '#kernel/failure.ts'
import { willAnswer } from '#kernel/idempotency.ts'
import { dismissed, type FiledBy, filed, reopened } from './filing.ts'
import type {
  CorrespondenceChange,
  CorrespondenceRecord,
  CorrespondenceStore,
  MailParties,
  MailUsers,
} from './ports.ts'

/** What people do with mail in the inbox (I6). */
export function mailDesk({
  store,
  parties,
  users,
  clock,
}: {
  store: Pick<CorrespondenceStore, 'find' | 'change'>
  parties: Pick<MailParties, 'names'>
  users: Pick<MailUsers, 'find'>
  clock: Clock
}) {
  const change = async (
    actor: Actor,
    id: string,
    decide: (current: CorrespondenceRecord, by: FiledBy) => CorrespondenceChange | undefined,
  ): Promise<InboxItem> => {
    const by = {
      actor: { type: 'user' as const, id: actor.user_id, name: actor.user_name },
      at: timestamp(clock),
    }
    const record = await store
      .change(actor.workspace_id, id, (current) => {
        const change = decide(current, by)
        const after = change?.record ?? current
        if (after.inbox !== null) willAnswer(mailItem(after, after.inbox))
        return change
      })
      .catch((error: unknown) => {
        throw failureOf(error)?.code === 'CORRESPONDENCE_NOT_FOUND' ? notFound('INBOX_ITEM_NOT_FOUND') : error
      })
    if (record.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
    return mailItem(record, record.inbox)
  }

  return {
    /**
     * Files a mail in a case, with a party, or hands it to a user.
     *
     * @throws Failure INBOX_ITEM_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND
     */
    async file(actor: Actor, id: string, input: FilingInput): Promise<InboxItem> {
      const { workspace_id } = actor
      const { party_id, assigned_to } = input
      const [mail, names, user] = await Promise.all([
        store.find(workspace_id, id),
        party_id == null ? undefined : parties.names(workspace_id, [party_id]),
        assigned_to == null ? undefined : users.find(workspace_id, assigned_to),
      ])
      if (mail === undefined || mail.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
      if (party_id != null && !names?.has(party_id)) throw notFound('PARTY_NOT_FOUND')
      if (assigned_to != null && user === undefined) throw notFound('USER_NOT_FOUND')
      return change(actor, id, (current, by) => filed(current, input, by))
    },

    /** Takes a mail out of the inbox without filing it. @throws Failure INBOX_ITEM_NOT_FOUND */
    dismiss: (actor: Actor, id: string) => change(actor, id, dismissed),

    /** Brings a mail back into the inbox, out of the case where it was filed. @throws Failure INBOX_ITEM_NOT_FOUND */
    reopen: (actor: Actor, id: string) => change(actor, id, reopened),
  }
}
