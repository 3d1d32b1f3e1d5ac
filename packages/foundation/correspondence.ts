import { mailJobs } from '#correspondence/jobs.ts'
import { bytesKey } from '#documents/keys.ts'
import { bucketFiles } from '#files/bucket.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { draftStore } from '#store/correspondence/draft-store.ts'
import { existingDocuments } from '#store/documents/existing-documents.ts'
import type { Base } from './foundation.ts'

/** Mail for every function that uses it: records, bodies, attached documents, and jobs. */
export function correspondenceFoundation(base: Base) {
  const files = bucketFiles()
  base.jobs.handle(...mailJobs({ files }))
  return {
    files,
    store: correspondenceStore({ ...base, providerDomain: messageIdDomain() }),
    drafts: draftStore(base),
    documents: existingDocuments({ ...base, bytesKey }),
  }
}
