import { mailReportJobs } from '#correspondence/jobs.ts'
import { mailReports } from '#correspondence/mail-reports.ts'
import type { CorrespondenceStore } from '#correspondence/ports.ts'
import { mailDelivery } from '#signing/mail-delivery.ts'
import type { EnvelopeStore } from '#signing/ports.ts'
import type { foundation } from './foundation.ts'

/** What became of mails of the service, for every function that learns of it: envelopes follow by a job. */
export function mailReportFoundation(
  { jobs, clock }: Pick<ReturnType<typeof foundation>, 'jobs' | 'clock'>,
  {
    mails,
    envelopes,
  }: { mails: Pick<CorrespondenceStore, 'find'>; envelopes: Pick<EnvelopeStore, 'change'> },
) {
  const delivery = mailDelivery({ store: envelopes })
  const reports = mailReports({ store: mails, take: delivery.take, clock })
  jobs.handle(...mailReportJobs(reports))
  return { delivery, reports }
}
