import { confidentialAnswers } from '#bea/eeb/confidential-answers.ts'
import { beaFiling, beaFilingJobs } from '#bea/messages/filing-jobs.ts'
import { beaVisibility } from '#bea/rights/visibility.ts'
import { syncStarting } from '#bea/sync/starting-sync.ts'
import { beaSyncQueue } from '#bea/sync/sync-queue.ts'
import { beaDocuments } from '#documents/bea-documents.ts'
import { followMail } from '#documents/follow-mail.ts'
import type { DocumentStore } from '#documents/ports.ts'
import { bucketFiles } from '#files/bucket.ts'
import { arrivalQueue } from '#inbox/arrival-schema.ts'
import { queueSender } from '#queue/sqs.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { caseLessons } from '#store/inbox/case-lessons.ts'
import { pageInOrder } from '#store/page-in-order.ts'
import { beaAccounts } from './bea-access.ts'
import type { Base } from './foundation.ts'

/** Imported beA messages for every function that uses them: records, objects, and access rights. */
export function beaMessageFoundation(base: Pick<Base, 'db' | 'cursors' | 'outbox' | 'clock'>) {
  const stored = beaAccounts(base)
  const store = beaMessageStore(base)
  return {
    ...stored,
    store,
    answers: confidentialAnswers({ drafts: beaDraftStore(base), messages: store }),
    files: bucketFiles(),
    visibility: beaVisibility(stored),
    pageOut: pageInOrder(base.cursors),
  }
}

/**
 * The effects of filing a beA message, for every function that files some: its documents follow, and the triage learns
 * from it about its case.
 */
export function beaFilingFoundation(
  { jobs, db, clock }: Pick<Base, 'jobs' | 'db' | 'clock'>,
  stores: {
    messages: ReturnType<typeof beaMessageFoundation>['store']
    documents: Pick<DocumentStore, 'known' | 'addMissing' | 'change'>
  },
) {
  const { messages, documents } = stores
  const filing = beaFiling({
    messages,
    documents: {
      add: beaDocuments({ store: documents, files: bucketFiles(), clock }),
      follow: followMail({ documents }),
    },
    lessons: caseLessons(db),
  })
  const send = queueSender(arrivalQueue)
  jobs.handle(...beaFilingJobs(filing, send))
  return { ...filing, send }
}

/** Starts synchronisations: for users, and by the schedule. */
export function beaSyncFoundation({ db, clock }: Pick<Base, 'db' | 'clock'>) {
  const { accounts, access, states } = beaAccounts({ db, clock })
  const send = queueSender(beaSyncQueue)
  return syncStarting({ accounts, access, requireSession: states.requireActive, send, clock })
}
