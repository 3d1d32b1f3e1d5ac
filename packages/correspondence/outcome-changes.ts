import type { Job } from '#jobs/job.ts'
import { type CaseTimelineEntry, entriesIn, shortenedSubject, type TimelineEntry } from '#timeline/schema.ts'
import { recordLostMail, reportMail } from './jobs.ts'
import type { CorrespondenceChange, CorrespondenceRecord, Refusal } from './ports.ts'
import { lostFrom } from './schema.ts'
import { sendStateOf } from './send-state.ts'

/** The change by which a mail becomes `sent`, with its one entry in the timeline of its case (M6). */
export function sentChange(
  record: CorrespondenceRecord,
  { message_id, sent_at }: { message_id: string; sent_at: string },
): CorrespondenceChange {
  const actor = { type: 'user', id: record.user_id, name: record.from.name ?? record.from.email } as const
  const [first = '', ...others] = [...record.to, ...record.cc, ...record.bcc]
  const more = others.length === 0 ? '' : ` und ${others.length} weitere`
  const summary = `E-Mail an ${first}${more} gesendet: „${shortenedSubject(record.subject)}“`
  return {
    record: {
      ...record,
      status: 'sent',
      message_id,
      sent_at,
      refusal: null,
      version: record.version + 1,
    },
    timeline: entriesOf(record, { type: 'mail.sent', occurred_at: sent_at, actor, summary }),
    jobs: reportJobs(record),
  }
}

/** The change by which a mail becomes `failed`: the provider definitely refused it, or was not called (M5). */
export function refusedChange(record: CorrespondenceRecord, refusal: Refusal): CorrespondenceChange {
  return {
    record: { ...record, status: 'failed', refusal, version: record.version + 1 },
    jobs: reportJobs(record),
  }
}

/** The job that runs ten minutes after a send began, and records the loss of the mail if it is still `sending`. */
export function lossJobs(mail: Pick<CorrespondenceRecord, 'workspace_id' | 'id' | 'sending_since'>): Job[] {
  const { workspace_id, id, sending_since } = mail
  if (sending_since === null) return []
  return [recordLostMail.of({ workspace_id, correspondence_id: id }, lostFrom(sending_since))]
}

/**
 * The change that records the loss of a mail (M5). Undefined if it is not lost at `now`, or this was recorded before.
 */
export function lostChange(record: CorrespondenceRecord, now: Date): CorrespondenceChange | undefined {
  if (record.lost_at !== null || sendStateOf(record, now) !== 'lost') return undefined
  return {
    record: { ...record, lost_at: now.toISOString(), version: record.version + 1 },
    jobs: reportJobs(record),
  }
}

/** The job that reports the state of a service mail. None for mail that a person sent. */
export function reportJobs(mail: Pick<CorrespondenceRecord, 'workspace_id' | 'id' | 'about'>): Job[] {
  const { workspace_id, id, about } = mail
  return about === null ? [] : [reportMail.of({ workspace_id, correspondence_id: id })]
}

/** The entry about a mail for the timeline of its case. None if it has no case. */
export function entriesOf(
  { case_id, id }: Pick<CorrespondenceRecord, 'case_id' | 'id'>,
  entry: Omit<TimelineEntry, 'id' | 'ref'>,
): CaseTimelineEntry[] {
  return entriesIn(case_id, { ...entry, ref: { type: 'correspondence', id } })
}
