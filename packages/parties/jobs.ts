import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { idPrefixes } from '#kernel/id.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { PartyStore } from './ports.ts'

/**
 * Follows a new name of a party: a search of cases finds the party by it (C9), and documents that name the party show
 * it. `after`: the last case that has the name already or, once all cases have it, the last document that is done.
 */
export const partyRenamed = defineFollowUp({
  name: 'party.renamed',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    party_id: z.string(),
    after: z.string().nullable(),
  })),
})

/** The cases that name parties. */
type NamingCases = {
  renameParty: (
    workspaceId: string,
    party: { id: string; name: string },
    after: string | null,
    rest: (after: string) => Job,
  ) => Promise<boolean>
}

/** The documents that name parties. */
type NamingDocuments = {
  touchNaming: (
    workspaceId: string,
    partyId: string,
    after: string | null,
    rest: (after: string) => Job,
  ) => Promise<void>
}

/** The handlers of the jobs that follow a change of a party. */
export function partyJobs({
  parties,
  cases,
  documents,
}: {
  parties: Pick<PartyStore, 'find'>
  cases: NamingCases
  documents: NamingDocuments
}): JobHandler[] {
  return [
    partyRenamed.handledBy(async ({ workspace_id, party_id, after }) => {
      const present = async () => (await parties.find(workspace_id, party_id))?.name
      const rest = (last: string) => partyRenamed.of({ workspace_id, party_id, after: last })
      // Another change of the name may have overtaken this one.
      for (let done: string | undefined, name = await present(); name !== done; name = await present()) {
        if (name === undefined) return
        const isOfDocuments = after?.startsWith(idPrefixes.document) === true
        const casesHaveIt =
          isOfDocuments || (await cases.renameParty(workspace_id, { id: party_id, name }, after, rest))
        if (casesHaveIt)
          await documents.touchNaming(workspace_id, party_id, isOfDocuments ? after : null, rest)
        done = name
      }
    }),
  ]
}
