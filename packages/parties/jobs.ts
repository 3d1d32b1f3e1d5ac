import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import type { PartyStore } from './ports.ts'

/** A party has another name: a search of cases finds it by that (C9). `after`: the last case that has it already. */
export const partyRenamed = defineFollowUp({
  name: 'party.renamed',
  version: 1,
  payload: z.lazy(() =>
    z.object({ workspace_id: z.string(), party_id: z.string(), after: z.string().nullable() }),
  ),
})

/** The cases that name parties. */
type NamingCases = {
  renameParty: (
    workspaceId: string,
    party: { id: string; name: string },
    after: string | null,
    rest: (after: string) => Job,
  ) => Promise<void>
}

/** The handlers of the jobs that follow a change of a party. */
export function partyJobs({
  parties,
  cases,
}: {
  parties: Pick<PartyStore, 'find'>
  cases: NamingCases
}): JobHandler[] {
  return [
    partyRenamed.handledBy(async ({ workspace_id, party_id, after }) => {
      const present = async () => (await parties.find(workspace_id, party_id))?.name
      const rest = (last: string) => partyRenamed.of({ workspace_id, party_id, after: last })
      // Another change of the name may have overtaken this one.
      for (let done: string | undefined, name = await present(); name !== done; name = await present()) {
        if (name === undefined) return
        await cases.renameParty(workspace_id, { id: party_id, name }, after, rest)
        done = name
      }
    }),
  ]
}
