import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { MailReports } from './mail-reports.ts'
import type { CorrespondenceStore, MailFiles } from './ports.ts'
import type { CaseLessons } from './reception-ports.ts'

/** A draft was changed or deleted: the bodies that nobody needs any more are removed. */
export const eraseMailFiles = defineFollowUp({
  name: 'mail.erase',
  version: 1,
  payload: lazyObject(() => ({ keys: z.array(z.string()) })),
})

/** It is due ten minutes after an attempt to send a mail began: if the outcome is still unknown, the mail is lost (M5). */
export const noteLostMail = defineFollowUp({
  name: 'mail.lost',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), correspondence_id: z.string() })),
})

/** A mail of the service was sent, refused, lost or bounced: what it is about follows. */
export const reportMail = defineFollowUp({
  name: 'mail.report',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), correspondence_id: z.string() })),
})

/**
 * A mail was moved at `at`, out of the case `from` (null for none), or its attachments or what it teaches its case have
 * changed. The attachments and what the cases know of the mail follow.
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

/** Documents that follow the mail that they came with; `documents/follow-mail.ts` says which. */
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

/** The handlers of the jobs that follow a change of a mail of the service. */
export function mailReportJobs({ report }: MailReports): JobHandler[] {
  return [
    reportMail.handledBy(({ workspace_id, correspondence_id }) => report(workspace_id, correspondence_id)),
  ]
}

/**
 * The handler of the job that follows the filing of a mail. It brings everything in line with the case that the mail is
 * in now, and repeats this if the mail was filed elsewhere meanwhile. So jobs of several filings may run in any order.
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
