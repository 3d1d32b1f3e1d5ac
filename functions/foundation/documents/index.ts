import { documentJobs, eraseFiles } from '#documents/jobs.ts'
import { keysOf } from '#documents/keys.ts'
import { documentsToRead } from '#documents/messages.ts'
import { documentService } from '#documents/service.ts'
import { bucketFiles } from '#files/bucket.ts'
import { queueSender } from '#queue/sqs.ts'
import { documentStore } from '#store/document-store.ts'
import { partyStore } from '#store/party-store.ts'
import { workspaceStore } from '#store/workspace-store.ts'
import type { foundation } from '../index.ts'

type Base = ReturnType<typeof foundation>

/** Documents as every function that touches them has them: records, bytes, jobs, and the queue of what is to be read. */
export function documentFoundation(base: Base) {
  const files = bucketFiles()
  const send = queueSender(documentsToRead)
  const store = documentStore({
    ...base,
    send,
    expire: (record, at) => ({
      deleted_at: at,
      timelineEntries: [],
      jobs: [eraseFiles.of({ keys: keysOf(record) })],
    }),
  })
  base.jobs.handle(...documentJobs({ documents: store, files, send }))
  return { files, store }
}

/** The use cases of documents, for functions that serve them. */
export function documents(base: Base) {
  const { files, store } = documentFoundation(base)
  return documentService({
    store,
    files,
    parties: partyStore(base),
    workspaces: workspaceStore(base.db),
    enqueue: (jobs) => base.outbox.commit([], jobs),
    pageOut: base.pageOut,
    clock: base.clock,
  })
}
