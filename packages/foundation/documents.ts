import { documentJobs, readDocuments } from '#documents/jobs.ts'
import { bucketFiles } from '#files/bucket.ts'
import type { EnqueueJobs } from '#jobs/job.ts'
import { needsDocuments } from '#signing/envelopes/envelope-states.ts'
import { newDocumentListsFollowUp } from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { twinDeletedFollowUp } from '#store/documents/document-twins.ts'
import { envelopeUses } from '#store/signing/envelope-uses.ts'
import type { Base } from './foundation.ts'
import { handOver } from './hand-over.ts'

/** Documents for every function that stores new ones: records, bytes, jobs, and the queue of documents to read. */
export function documentFoundation(base: Base) {
  return { ...storedDocuments(base), send: handOver(base, readDocuments) }
}

/** Documents for functions that store no new ones: records, bytes and jobs. */
export function storedDocuments(base: Base) {
  const files = bucketFiles()
  const store = documentStore({ ...base, requireUnused: envelopeUses({ ...base, needsDocuments }) })
  const enqueue: EnqueueJobs = (jobs, change) => base.outbox.commit([], jobs, change)
  base.jobs.handle(
    ...documentJobs({ documents: store, files }),
    newDocumentListsFollowUp(base),
    twinDeletedFollowUp(base),
  )
  return { files, store, enqueue }
}
