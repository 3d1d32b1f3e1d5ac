import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { MailReports } from './mail-reports.ts'
import type { CorrespondenceStore, MailFiles } from './ports.ts'
import type { CaseLessons } from './reception-ports.ts'

/** Removes the bodies that a draft no longer needs after it was changed or deleted. */
export const eraseMailFiles = defineFollowUp({
  name: 'mail.erase',
  version: 1,
  payload: lazyObject(() => ({ keys: z.array(z.string()) })),
})

/** Runs ten minutes after an attempt to send a mail began. If the outcome is still unknown, the mail is lost (M5). */
export const recordLostMail = defineFollowUp({
  name: 'mail.lost',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), correspondence_id: z.string() })),
})

/** Reports that a service mail was sent, refused, lost or bounced. */
export const reportMail = defineFollowUp({
  name: 'mail.report',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), correspondence_id: z.string() })),
})

/**
 * Moves the attachments of a mail, and the facts that cases learn from it, to the case of the mail. The mail was moved
 * at `at` out of the case `from` (null for none), or its attachments or these facts have changed.
 */
export const followFiling = defineFollowUp({
  name: 'mail.filed',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    correspondence_id: z.string(),
    from: z.string().nullable(),
    at: z.string(),
  })),
})

/** Moves the documents of a mail into the case of the mail. `documents/follow-mail.ts` says which of them. */
export type FollowMail = (mail: {
  workspace_id: string
  correspondence_id: string
  document_ids: string[]
  from: string | null
  to: string | null
  at: string
}) => Promise<void>

/** The handlers of the jobs that follow a change of a draft. */
export function mailJobs({ files }: { files: Pick<MailFiles, 'remove'> }): JobHandler[] {
  return [eraseMailFiles.handledBy(({ keys }) => files.remove(keys))]
}

/** The handlers of the jobs that follow a change of a service mail. */
export function mailReportJobs({ report }: MailReports): JobHandler[] {
  return [
    reportMail.handledBy(({ workspace_id, correspondence_id }) => report(workspace_id, correspondence_id)),
  ]
}

/**
 * The handler of the job after the filing of a mail. It moves everything to the current case of the mail, and repeats
 * this if the mail was moved again meanwhile. So the jobs of several filings may run in any order.
 */
export function filingJobs(deps: {
  mails: Pick<CorrespondenceStore, 'find'>
  followMail: FollowMail
  lessons: CaseLessons
}): JobHandler[] {
  const { mails, followMail, lessons } = deps
  return [
    followFiling.handledBy(async ({ workspace_id, correspondence_id, from: left, at }) => {
      let followed: string | null | undefined
      for (let from = left; ; from = followed ?? null) {
        const mail = await mails.find(workspace_id, correspondence_id)
        if (mail === undefined || mail.case_id === followed) return
        const { case_id: to, teaches, attachments } = mail
        const document_ids = attachments.map(({ document_id }) => document_id)
        await followMail({ workspace_id, correspondence_id, document_ids, from, to, at })
        await lessons.follow(workspace_id, {
          correspondence_id,
          teaches,
          from: from === to ? null : from,
          to,
        })
        followed = to
      }
    }),
  ]
}
