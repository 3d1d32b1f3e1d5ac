import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import type { MailFiles } from './ports.ts'

/** A draft was changed or deleted: the bodies that nobody needs any more are removed. */
export const eraseMailFiles = defineFollowUp({
  name: 'mail.erase',
  version: 1,
  payload: z.object({ keys: z.array(z.string()) }),
})

/** The handlers of the jobs that follow a change of a draft. */
export function mailJobs({ files }: { files: Pick<MailFiles, 'remove'> }): JobHandler[] {
  return [eraseMailFiles.handledBy(({ keys }) => files.remove(keys))]
}
