import * as z from 'zod'
import { AccessReportOrder, exportRunQueue } from '#exports/queue-schema.ts'
import { defineFollowUp, defineHandOver, type Job, type JobHandler } from '#jobs/job.ts'
import { idPrefixes } from '#kernel/id.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { PartyStore } from './ports.ts'

/**
 * Runs after a party was renamed: a search of cases then finds the new name (C9), and `updated_since` lists the documents
 * that name the party. `after`: the last case that is done or, once all cases are done, the last document.
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

/** Runs soon after a party was deleted: what was filed only with it comes back into the inbox (I6). */
export const partyDeleted = defineFollowUp({
  name: 'party.deleted',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), party_id: z.string() })),
})

/** Sends a requested report to its worker (R6). */
export const makeAccessReport = defineHandOver({
  name: 'party.access_report',
  version: 1,
  payload: AccessReportOrder,
  queue: exportRunQueue,
  messagesOf: (order) => [order],
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

/** The handler of the job that follows the deletion of a party. Only the sweeper has it. */
export function deletedPartyJobs({
  mails,
}: {
  mails: { returnToInbox: (workspaceId: string, partyId: string) => Promise<void> }
}): JobHandler[] {
  return [partyDeleted.handledBy(({ workspace_id, party_id }) => mails.returnToInbox(workspace_id, party_id))]
}

/** The handlers of the jobs that follow a change of a party. */
export function partyJobs(deps: {
  parties: Pick<PartyStore, 'find'>
  cases: NamingCases
  documents: NamingDocuments
}): JobHandler[] {
  const { parties, cases, documents } = deps
  return [
    partyRenamed.handledBy(async ({ workspace_id, party_id, after }) => {
      const currentName = async () => (await parties.find(workspace_id, party_id))?.name
      const rest = (last: string) => partyRenamed.of({ workspace_id, party_id, after: last })
      // Another change of the name may have overtaken this one.
      for (
        let done: string | undefined, name = await currentName();
        name !== done;
        name = await currentName()
      ) {
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
