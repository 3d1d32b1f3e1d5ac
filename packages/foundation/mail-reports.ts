import { mailReportJobs } from '#correspondence/jobs.ts'
import { mailReports } from '#correspondence/mail-reports.ts'
import type { CorrespondenceStore } from '#correspondence/ports.ts'
import { mailDelivery } from '#signing/mail/mail-delivery.ts'
import type { EnvelopeStore } from '#signing/ports.ts'
import type { Base } from './foundation.ts'

/** The delivery results of mails that the service sent, for every function that receives them: a job updates envelopes. */
export function mailReportFoundation(
  { jobs, clock }: Pick<Base, 'jobs' | 'clock'>,
  stores: { mails: Pick<CorrespondenceStore, 'find'>; envelopes: Pick<EnvelopeStore, 'change'> },
) {
  const { mails, envelopes } = stores
  const delivery = mailDelivery({ store: envelopes })
  jobs.handle(...mailReportJobs(mailReports({ store: mails, handle: delivery.recordOutcome, clock })))
  return { delivery }
}
