import { type Clock, timestamp } from '#kernel/clock.ts'
import { everyItem } from '#kernel/every-item.ts'
import { applyRule, systemActor } from '#timeline/schema.ts'
import { filed } from './filing.ts'
import type { CorrespondenceRecord, CorrespondenceStore } from './ports.ts'

/** The mail of parties that were deleted. */
export function partyMail(deps: { mails: Pick<CorrespondenceStore, 'page' | 'change'>; clock: Clock }) {
  const { mails, clock } = deps
  return {
    /**
     * Moves mail back into the inbox if it was filed only with this party, because no other list shows it (I6). It can
     * be repeated: mail in the inbox is no longer in the list of the party.
     */
    async returnToInbox(workspaceId: string, party_id: string): Promise<void> {
      const isOnlyThere = ({ case_id, inbox, ...mail }: CorrespondenceRecord) =>
        mail.party_id === party_id && case_id === null && inbox?.state === 'filed'
      for await (const mail of everyItem((request) => mails.page(workspaceId, { party_id, ...request })))
        if (isOnlyThere(mail))
          await applyRule(mails, workspaceId, mail.id, (current) =>
            isOnlyThere(current)
              ? filed(current, { party_id: null }, { actor: systemActor, at: timestamp(clock) })
              : undefined,
          )
    },
  }
}
