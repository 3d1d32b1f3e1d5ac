import { documentQueue } from '#documents/read-queue.ts'
import { unlessGone } from '#kernel/failure.ts'
import { idPrefixes } from '#kernel/id.ts'
import { queueSender } from '#queue/sqs.ts'
import { searchEngine } from '#search/engine.ts'
import type { Segment } from '#search/types.ts'
import { documentChanges } from '#store/documents/document-changes.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { indexing } from '#text-search/indexing.ts'
import { indexQueue } from '#text-search/wake-schema.ts'
import { firmObjectsOnce } from './firm-objects.ts'
import type { Base } from './foundation.ts'
import { searchedRecords } from './searched-records.ts'
import { segmentFiles, segmentKey } from './segment-files.ts'
import { segmentFolder } from './segment-folder.ts'

/** The worker that makes the index. */
export function indexingFoundation(base: Base) {
  const changes = documentChanges(base)
  const readDocument = queueSender(documentQueue)
  const objects = firmObjectsOnce()
  return indexing<Segment>({
    ...base,
    store: searchIndexStore(base),
    records: {
      ...searchedRecords(base),
      note: async (workspaceId, id, problem) => {
        if (!id.startsWith(idPrefixes.document)) return
        const noted = changes.change(workspaceId, id, ({ search_error: _, ...current }) => ({
          record: {
            ...current,
            ...(problem !== null && { search_error: problem }),
            version: current.version + 1,
          },
          answer: undefined,
        }))
        await noted.catch(unlessGone('DOCUMENT_NOT_FOUND'))
      },
      readAgain: (workspace_id, document_id) => readDocument({ workspace_id, document_id }),
    },
    files: {
      ...segmentFiles(),
      remove: async (workspaceId, names) => {
        for (const name of names) await objects().eraseUnder(segmentKey(workspaceId, name))
      },
    },
    engine: searchEngine,
    wake: queueSender(indexQueue),
    folder: segmentFolder(),
  })
}
