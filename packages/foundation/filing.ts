import { filingJobs } from '#correspondence/jobs.ts'
import type { CorrespondenceStore } from '#correspondence/ports.ts'
import { followMail } from '#documents/follow-mail.ts'
import type { DocumentStore } from '#documents/ports.ts'
import { caseLessons } from '#store/inbox/case-lessons.ts'
import type { Base } from './foundation.ts'

/**
 * The effects of filing a mail, for every function that files mail: its attachments follow, and the triage learns from
 * it about its case.
 */
export function filingFoundation(
  { jobs, db }: Pick<Base, 'jobs' | 'db'>,
  stores: { mails: Pick<CorrespondenceStore, 'find'>; documents: Pick<DocumentStore, 'change'> },
) {
  const { mails, documents } = stores
  jobs.handle(...filingJobs({ mails, followMail: followMail({ documents }), lessons: caseLessons(db) }))
}
