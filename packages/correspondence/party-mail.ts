import type { JobHandler } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { partyDeleted } from '#parties/jobs.ts'
import { applyRule, systemActor } from '#timeline/schema.ts'
import { filed } from './filing.ts'
import type { CorrespondenceRecord, CorrespondenceStore } from './ports.ts'

/** Mails that are read at once. */
const atOnce = 50

/**
 * The handler of the job that follows the deletion of a party: mail that was filed only with the party comes back into the
 * inbox, because it would stand nowhere else (I6). It may run again: a mail that came back has left the list of the party.
 */
export function partyMailJobs({
  mails,
  clock,
}: {
  mails: Pick<CorrespondenceStore, 'page' | 'change'>
  clock: Clock
}): JobHandler[] {
  return [
    partyDeleted.handledBy(async ({ workspace_id, party_id }) => {
      const isOnlyThere = ({ case_id, inbox, ...mail }: CorrespondenceRecord) =>
        mail.party_id === party_id && case_id === null && inbox?.state === 'filed'
      let cursor: string | null | undefined
      do {
        const page = { party_id, limit: atOnce, ...(cursor && { cursor }) }
        const { data, pagination } = await mails.page(workspace_id, page)
        for (const { id } of data.filter(isOnlyThere))
          await applyRule(mails, workspace_id, id, (current) =>
            isOnlyThere(current)
              ? filed(current, { party_id: null }, { actor: systemActor, at: timestamp(clock) })
              : undefined,
          )
        cursor = pagination.cursor
      } while (cursor !== null)
    }),
  ]
}
