import { createReadStream, createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { beaVisibility } from '#bea/rights/visibility.ts'
import { documentQueue } from '#documents/read-queue.ts'
import { bucketFiles } from '#files/bucket.ts'
import type { Actor } from '#kernel/actor.ts'
import { failureOf } from '#kernel/failure.ts'
import { idPrefixes } from '#kernel/id.ts'
import { queueSender } from '#queue/sqs.ts'
import { searchEngine } from '#search/engine.ts'
import type { Matched, Query, Segment } from '#search/types.ts'
import { encryptedCursors, pageByCursor } from '#store/cursor.ts'
import { documentChanges } from '#store/documents/document-changes.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { indexing } from '#text-search/indexing.ts'
import type { SearchEngine, SegmentFiles, SegmentWriter } from '#text-search/ports.ts'
import type { SearchKind } from '#text-search/schema.ts'
import { searchService } from '#text-search/searching.ts'
import { segmentCache } from '#text-search/segment-cache.ts'
import { indexQueue } from '#text-search/wake-schema.ts'
import type { beaAccounts } from './bea-access.ts'
import { firmObjectsOnce } from './firm-objects.ts'
import type { foundation } from './foundation.ts'
import { beaAccess, documentAccess, mailAccess, searchedRecords } from './searched-records.ts'

type Base = ReturnType<typeof foundation>

/** The maximum bytes of segments on a reader's disk, which has 4 GB. */
const maxCacheBytes = 3 * 1024 ** 3

const engine: SegmentWriter<Segment> & SearchEngine<Segment, Query, Matched> = searchEngine

/** The search, for the function that serves it. */
export function searchFoundation(base: Base, accounts: ReturnType<typeof beaAccounts>) {
  const visibility = beaVisibility(accounts)
  // A position contains names of segments, which reveal when the index was written.
  const cursors = encryptedCursors(base.db)
  const readable = async (actor: Actor, kinds: readonly SearchKind[]): Promise<ReadonlySet<string>> => {
    const messages = kinds.includes('bea') ? await visibility.ofAll(actor) : []
    return new Set([
      ...(kinds.includes('document') ? [documentAccess] : []),
      ...(kinds.includes('mail') ? [mailAccess] : []),
      ...messages.filter(({ mayRead }) => mayRead).map(beaAccess),
    ])
  }
  return searchService({
    ...base,
    engine,
    store: searchIndexStore(base),
    records: searchedRecords(base),
    cache: segmentCache({ files: segmentFiles(), engine, maxBytes: maxCacheBytes }),
    readable,
    pageByCursor: (binding, request, read) => pageByCursor(cursors, binding, request, read),
    wake: queueSender(indexQueue),
  })
}

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
        await noted.catch((error: unknown) => {
          if (failureOf(error)?.code !== 'DOCUMENT_NOT_FOUND') throw error
        })
      },
      readAgain: (workspace_id, document_id) => readDocument({ workspace_id, document_id }),
    },
    files: {
      ...segmentFiles(),
      remove: async (workspaceId, names) => {
        for (const name of names) await objects().eraseUnder(segmentKey(workspaceId, name))
      },
    },
    engine,
    wake: queueSender(indexQueue),
    folder: tmpdir(),
  })
}

/** Segments in the bucket. */
function segmentFiles(): Omit<SegmentFiles, 'remove'> {
  const files = bucketFiles()
  return {
    put: async (workspaceId, name, path, signal) => {
      const about = { mimeType: 'application/vnd.sqlite3', signal }
      await files.putStream(segmentKey(workspaceId, name), createReadStream(path), about)
    },
    fetch: async (workspaceId, name, path) => {
      const key = segmentKey(workspaceId, name)
      try {
        await pipeline(Readable.from(await files.stream(key)), createWriteStream(path))
        return true
      } catch (error) {
        if (failureOf(error) !== undefined || (await files.head(key)) !== undefined) throw error
        return false
      }
    },
  }
}

const segmentKey = (workspaceId: string, name: string) => `search/${workspaceId}/${name}`
