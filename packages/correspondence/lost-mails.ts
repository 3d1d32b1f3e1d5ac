import type { JobHandler } from '#jobs/job.ts'
import type { Clock } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import { applyRule } from '#timeline/schema.ts'
import { noteLostMail } from './jobs.ts'
import type { CorrespondenceStore } from './ports.ts'
import { lostChange } from './settle.ts'

/**
 * The handler of the job that notes lost sends. Every reader computes that a send is lost, so the note changes no answer.
 * It is a change of the record, which an event (E1) and `updated_since` report.
 */
export function lostMailJobs(deps: {
  mails: Pick<CorrespondenceStore, 'change'>
  clock: Clock
}): JobHandler[] {
  const { mails, clock } = deps
  return [
    noteLostMail.handledBy(async ({ workspace_id, correspondence_id }) => {
      const now = clock.now()
      await applyRule(mails, workspace_id, correspondence_id, (current) => lostChange(current, now))
        // A disposal removes mails.
        .catch(unlessGone('CORRESPONDENCE_NOT_FOUND'))
    }),
  ]
}
