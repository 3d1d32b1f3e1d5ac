import * as z from 'zod'
import { defineFollowUp, type Job, type JobHandler } from '#jobs/job.ts'
import { unlessGone } from '#kernel/failure.ts'
import { bareUuid, idPrefixes, timeOf, uuidv7At } from '#kernel/id.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { PartyInput } from '#parties/schema.ts'
import { TimelineEntry } from '#timeline/schema.ts'
import type { CaseDeadlines, CaseStore, NewParties, NewParty } from './ports.ts'

/** Creates the new parties that a change of a case adds. */
export const createParties = defineFollowUp({
  name: 'case.make_parties',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    case_id: z.string(),
    created_at: z.string(),
    parties: z.array(PartyInput.unwrap().extend({ id: z.string() })),
  })),
  without: (payload, isGone) => {
    const parties = payload.parties.filter(({ id }) => !isGone(id))
    return parties.length === 0 || isGone(payload.case_id) ? undefined : { ...payload, parties }
  },
})

/** The maximum number of parties in a job. They fit into one item even if all fields have their maximum length. */
const maxPartiesPerJob = 20

/** The jobs that create the new parties of a change of a case. */
export function partiesToCreate(of: {
  workspace_id: string
  case_id: string
  created_at: string
  parties: NewParty[]
}): Job[] {
  const jobs: Job[] = []
  for (let start = 0; start < of.parties.length; start += maxPartiesPerJob)
    jobs.push(createParties.of({ ...of, parties: of.parties.slice(start, start + maxPartiesPerJob) }))
  return jobs
}

/** Removes the links of a deleted case and records that in the timelines of the linked cases. */
export const unlinkCase = defineFollowUp({
  name: 'case.unlink',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    case_id: z.string(),
    entry: TimelineEntry.unwrap().omit({ id: true }),
  })),
  without: (payload, isGone) => (isGone(payload.case_id) ? undefined : payload),
})

/** Marks the deadlines of a deleted case. */
export const markDeadlines = defineFollowUp({
  name: 'case.mark_deadlines',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), case_id: z.string(), deleted_at: z.string() })),
})

/** The handlers of the jobs that follow a change of a case. */
export function caseJobs(deps: {
  cases: Pick<CaseStore, 'allLinks' | 'removeLink'>
  parties: NewParties
  deadlines: Pick<CaseDeadlines, 'markCaseDeleted'>
}): JobHandler[] {
  const { cases, parties, deadlines } = deps
  return [
    createParties.handledBy(({ workspace_id, case_id, created_at, parties: created }) =>
      parties.addAll(
        created.map((party) => ({
          ...party,
          workspace_id,
          created_at: timeOf(party.id).toISOString(),
          updated_at: created_at,
          version: 1,
        })),
        case_id,
      ),
    ),
    markDeadlines.handledBy(({ workspace_id, case_id, deleted_at }) =>
      deadlines.markCaseDeleted(workspace_id, case_id, deleted_at),
    ),
    unlinkCase.handledBy(async ({ workspace_id, case_id, entry }) => {
      for (const link of await cases.allLinks(workspace_id, case_id)) {
        const removed = { ...entry, id: entryId(entry, link), ref: { type: 'link', id: link.id } }
        const timeline = [{ case_id: link.linked_case_id, entry: removed }]
        await cases.removeLink(workspace_id, link, timeline).catch(unlessGone('LINK_NOT_FOUND'))
      }
    }),
  ]
}

/**
 * An id composed of the time of the deletion and the last part of the link's id. So a second run of the job adds no
 * second entry.
 */
function entryId({ occurred_at }: { occurred_at: string }, link: { id: string }): string {
  const time = uuidv7At(Date.parse(occurred_at)).slice(0, 14)
  return idPrefixes.timelineEntry + time + bareUuid(link.id).slice(14)
}
