import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, notFound } from '#kernel/failure.ts'
import { assigned, triageActor } from './filing.ts'
import type { ImportMessage } from './importing.ts'
import type { BeaAccountStore, BeaMessageStore, UseBeaSession } from './ports.ts'
import type { ImportSent } from './sending-ports.ts'

/**
 * Imports a message that a draft sent, with its proof, into the case of the draft. The synchronisation may have imported
 * it before. The timeline of the case has the send already, so the filing adds no entry.
 */
export function importingSent(deps: {
  accounts: Pick<BeaAccountStore, 'find'>
  messages: Pick<BeaMessageStore, 'known' | 'change'>
  importing: ImportMessage
  useSession: UseBeaSession
  clock: Clock
}): ImportSent {
  const { accounts, messages, importing, useSession, clock } = deps
  return async ({ workspace_id, id }, remoteId, caseId, signal) => {
    const account = await accounts.find(workspace_id, id)
    const postbox = account?.postbox_safe_id
    if (account === undefined || !postbox) throw notFound('BEA_ACCOUNT_NOT_FOUND')
    const known = (await messages.known(workspace_id, postbox, [remoteId])).get(remoteId)
    const messageId =
      known?.id ??
      (await useSession(
        account,
        async (connection) =>
          importing.add(
            { ...account, postbox_safe_id: postbox },
            { type: 'SENT', name: null },
            await connection.message(postbox, remoteId, signal),
            signal,
          ),
        signal,
        { mayLogIn: true },
      ))
    if (caseId !== null) await fileIn(workspace_id, messageId, caseId)
    return messageId
  }

  /** Files the message, unless it is filed already or the case was deleted. */
  async function fileIn(workspaceId: string, messageId: string, caseId: string): Promise<void> {
    try {
      await messages.change(workspaceId, messageId, (current) => {
        if (current.case_id !== null) return undefined
        const by = { actor: triageActor, at: timestamp(clock) }
        const filed = assigned(current, { case_id: caseId }, by)
        return filed && { ...filed, timelineEntries: [] }
      })
    } catch (error) {
      if (failureOf(error)?.code !== 'CASE_NOT_FOUND') throw error
    }
  }
}
