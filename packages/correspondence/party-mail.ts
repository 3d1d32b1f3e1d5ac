import { type Clock, timestamp } from '#kernel/clock.ts'
import { applyRule, systemActor } from '#timeline/schema.ts'
import { filed } from './filing.ts'
import type { CorrespondenceRecord, CorrespondenceStore } from './ports.ts'

/** Mails that are read at once. */
const atOnce = 50

/** The mail of parties that were deleted. */
export function partyMail(deps: { mails: Pick<CorrespondenceStore, 'page' | 'change'>; clock: Clock }) {
  const { mails, clock } = deps
  return {
    /**
     * Brings mail back into the inbox that was filed only with this party, because it would stand nowhere else (I6). It may
     * run again: a mail that came back has left the list of the party.
     */
    async leaveParty(workspaceId: string, party_id: string): Promise<void> {
      const isOnlyThere = ({ case_id, inbox, ...mail }: CorrespondenceRecord) =>
        mail.party_id === party_id && case_id === null && inbox?.state === 'filed'
      let cursor: string | null | undefined
      do {
        const page = { party_id, limit: atOnce, ...(cursor && { cursor }) }
        const { data, pagination } = await mails.page(workspaceId, page)
        for (const { id } of data.filter(isOnlyThere))
          await applyRule(mails, workspaceId, id, (current) =>
            isOnlyThere(current)
              ? filed(current, { party_id: null }, { actor: systemActor, at: timestamp(clock) })
              : undefined,
          )
        cursor = pagination.cursor
      } while (cursor !== null)
    },
  }
}
