import { beaVisibility } from '#bea/rights/visibility.ts'
import type { Actor } from '#kernel/actor.ts'
import { queueSender } from '#queue/sqs.ts'
import { searchEngine } from '#search/engine.ts'
import { encryptedCursors, pageByCursor } from '#store/cursor.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import type { SearchKind } from '#text-search/schema.ts'
import { searchService } from '#text-search/searching.ts'
import { segmentCache } from '#text-search/segment-cache.ts'
import { indexQueue } from '#text-search/wake-schema.ts'
import type { beaAccounts } from './bea-access.ts'
import type { Base } from './foundation.ts'
import { beaAccess, documentAccess, mailAccess, searchedRecords } from './searched-records.ts'
import { segmentFiles } from './segment-files.ts'
import { segmentFolder } from './segment-folder.ts'

/** The maximum bytes of segments on a reader's disk, which has 4 GB. */
const maxCacheBytes = 3 * 1024 ** 3

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
    engine: searchEngine,
    store: searchIndexStore(base),
    records: searchedRecords(base),
    cache: segmentCache({
      files: segmentFiles(),
      engine: searchEngine,
      maxBytes: maxCacheBytes,
      parent: segmentFolder(),
    }),
    readable,
    pageByCursor: (binding, request, read) => pageByCursor(cursors, binding, request, read),
    wake: queueSender(indexQueue),
  })
}
