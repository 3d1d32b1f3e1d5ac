import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import type { MailReports } from './mail-reports.ts'
import type { MailFiles } from './ports.ts'

/** A draft was changed or deleted: the bodies that nobody needs any more are removed. */
export const eraseMailFiles = defineFollowUp({
  name: 'mail.erase',
  version: 1,
  payload: z.object({ keys: z.array(z.string()) }),
})

/** A mail of the service was sent, refused or bounced: what it is about follows. */
export const reportMail = defineFollowUp({
  name: 'mail.report',
  version: 1,
  payload: z.object({ workspace_id: z.string(), correspondence_id: z.string() }),
})

/** The handlers of the jobs that follow a change of a draft. */
export function mailJobs({ files }: { files: Pick<MailFiles, 'remove'> }): JobHandler[] {
  return [eraseMailFiles.handledBy(({ keys }) => files.remove(keys))]
}

/** The handlers of the jobs that follow a change of a mail of the service. */
export function mailReportJobs({ report }: MailReports): JobHandler[] {
  return [
    reportMail.handledBy(({ workspace_id, correspondence_id }) => report(workspace_id, correspondence_id)),
  ]
}
