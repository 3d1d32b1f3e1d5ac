import { bucketFiles } from '#files/bucket.ts'
import { queueSender } from '#queue/sqs.ts'
import { dueAt } from '#signing/envelope-states.ts'
import { signingJobs } from '#signing/jobs.ts'
import { envelopeMails, envelopesToSeal } from '#signing/messages.ts'
import { documentListsFollowUp } from '#store/documents/document-actions.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import type { foundation } from './foundation.ts'

type Base = ReturnType<typeof foundation>

/**
 * Envelopes as every function that touches them has them: records, bytes, jobs, and the queues of mails and of what is
 * to be sealed. A function that files sealed copies needs `documentFoundation` as well, for the jobs of documents.
 */
export function signingFoundation(base: Base) {
  const files = bucketFiles()
  const send = { mail: queueSender(envelopeMails), seal: queueSender(envelopesToSeal) }
  const store = envelopeStore({ ...base, dueAt })
  base.jobs.handle(...signingJobs(send), documentListsFollowUp(base))
  return { files, store, send }
}

/** Whether the stage sends mails and has the domain that their links begin with. */
export function canMailLinks(): boolean {
  return Boolean(process.env.MAIL_CONFIGURATION_SET && process.env.SERVICE_BASE_URL)
}
