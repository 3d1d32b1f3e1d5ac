import { type Clock, timestamp } from '#kernel/clock.ts'
import { notFound, required, unlessGone } from '#kernel/failure.ts'
import { applyRule, systemActor } from '#timeline/schema.ts'
import { assigned } from '../messages/filing.ts'
import type { ImportMessage } from '../messages/importing.ts'
import { sameSafeId } from '../network/gateway-ports.ts'
import type { BeaMessageStore, UseBeaSession } from '../ports.ts'
import type { ImportSent, SentOrder } from './sending-ports.ts'
import { isAnotherByContent, isAnotherByOverview, wasImportedBefore } from './sent-match.ts'

/**
 * Imports the sent message of a draft, with its proof, and files it in the draft's case. The synchronisation may have
 * imported it before. The timeline of the case shows the send already, so the filing adds neither an entry nor an event.
 *
 * The id comes from the answer to the last call of the send, which may name another message. So the message with this
 * id is compared with the sent one before it is imported, and again before it is filed.
 */
export function importingSent(deps: {
  messages: Pick<BeaMessageStore, 'known' | 'find' | 'change'>
  importing: ImportMessage
  useSession: UseBeaSession
  clock: Clock
}): ImportSent {
  const { messages, importing, useSession, clock } = deps
  return async (account, remoteId, sent, signal) => {
    const { workspace_id, postbox_safe_id: postbox } = account
    if (!postbox) throw notFound('BEA_ACCOUNT_NOT_FOUND')
    const fetched = () =>
      useSession(
        account,
        async (connection) => {
          const remote = await connection.message(postbox, remoteId, signal)
          const sender = remote.sender?.safe_id ?? postbox
          if (!sameSafeId(sender, postbox) || isAnotherByOverview(remote, sent.order, sent.since))
            return undefined
          const folder = { type: 'SENT', name: null }
          return importing.add({ ...account, postbox_safe_id: postbox }, folder, remote, signal)
        },
        signal,
        { mayLogIn: true },
      )
    const known = (await messages.known(workspace_id, postbox, [remoteId])).get(remoteId)
    const messageId = known?.id ?? (await fetched())
    if (messageId === undefined || !(await isSent(workspace_id, messageId, sent))) return undefined
    if (sent.case_id !== null) await fileIn(workspace_id, messageId, sent.case_id)
    return messageId
  }

  /** Whether the imported message may be the sent one. */
  async function isSent(
    workspaceId: string,
    messageId: string,
    { order, since }: SentOrder,
  ): Promise<boolean> {
    const record = required(await messages.find(workspaceId, messageId), 'BEA_MESSAGE_NOT_FOUND')
    return (
      record.direction === 'outbound' &&
      !wasImportedBefore(record, since) &&
      !isAnotherByContent(record, order)
    )
  }

  /** Files the message, also in a deleted case, unless it is filed already or the case is being disposed of, or is gone. */
  async function fileIn(workspaceId: string, messageId: string, caseId: string): Promise<void> {
    await applyRule(messages, workspaceId, messageId, (current) => {
      if (current.case_id !== null) return undefined
      const by = { actor: systemActor, at: timestamp(clock) }
      const filed = assigned(current, { case_id: caseId }, by)
      // A notice that its acknowledgement is missing stays in the inbox.
      const record = filed && { ...filed.record, inbox: current.inbox }
      return record && { ...filed, record, timeline: [], events: [], followsDraft: true as const }
    }).catch(unlessGone('CASE_NOT_FOUND'))
  }
}
