import { dueAt } from '#signing/envelopes/envelope-states.ts'
import { documentListsFollowUp } from '#store/documents/document-actions.ts'
import { envelopeStore } from '#store/signing/envelope-store.ts'
import type { Base } from './foundation.ts'

/**
 * Envelopes for every function that uses them: records, and the lists of documents that follow them. A function whose
 * changes request mails or complete envelopes also hands over `sendEnvelopeMails` or `sealEnvelope`. A function that
 * files sealed copies also needs `documentFoundation`, for the jobs of documents.
 */
export function signingFoundation(base: Base) {
  base.jobs.handle(documentListsFollowUp(base))
  return { store: envelopeStore({ ...base, dueAt }) }
}

/** Whether the stage sends mails and has the domain that their links begin with. */
export function canMailLinks(): boolean {
  return Boolean(process.env.MAIL_CONFIGURATION_SET && process.env.SERVICE_BASE_URL)
}
