import { documentJobs } from '#documents/jobs.ts'
import { documentsToRead } from '#documents/messages.ts'
import { bucketFiles } from '#files/bucket.ts'
import type { EnqueueJobs } from '#jobs/job.ts'
import { queueSender } from '#queue/sqs.ts'
import { needsDocuments } from '#signing/envelope-states.ts'
import { newDocumentListsFollowUp } from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { twinDeletedFollowUp } from '#store/documents/document-twins.ts'
import { envelopeUses } from '#store/signing/envelope-uses.ts'
import type { foundation } from './foundation.ts'

type Base = ReturnType<typeof foundation>

/** Documents as every function that touches them has them: records, bytes, jobs, and the queue of what is to be read. */
export function documentFoundation(base: Base) {
  const files = bucketFiles()
  const send = queueSender(documentsToRead)
  const store = documentStore({ ...base, requireUnused: envelopeUses({ ...base, needsDocuments }) })
  const enqueue: EnqueueJobs = (jobs) => base.outbox.commit([], jobs)
  base.jobs.handle(
    ...documentJobs({ documents: store, files, send }),
    newDocumentListsFollowUp(base),
    twinDeletedFollowUp(base),
  )
  return { files, store, send, enqueue }
}
