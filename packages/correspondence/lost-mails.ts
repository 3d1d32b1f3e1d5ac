import type { JobHandler } from '#jobs/job.ts'
import type { Clock } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import { applyRule } from '#timeline/schema.ts'
import { recordLostMail } from './jobs.ts'
import { lostChange } from './outcome-changes.ts'
import type { CorrespondenceStore } from './ports.ts'

/**
 * The handler of the job that records lost mails. Answers of the API do not need it, because they compute that a mail
 * is lost. It changes the record, so that an event (E1) and `updated_since` report the loss.
 */
export function lostMailJobs(deps: {
  mails: Pick<CorrespondenceStore, 'change'>
  clock: Clock
}): JobHandler[] {
  const { mails, clock } = deps
  return [
    recordLostMail.handledBy(async ({ workspace_id, correspondence_id }) => {
      const now = clock.now()
      await applyRule(mails, workspace_id, correspondence_id, (current) => lostChange(current, now))
        // A disposal may have removed the mail.
        .catch(unlessGone('CORRESPONDENCE_NOT_FOUND'))
    }),
  ]
}
