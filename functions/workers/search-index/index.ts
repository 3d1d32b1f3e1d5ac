import { foundation } from '#foundation/foundation.ts'
import { indexingFoundation } from '#foundation/text-indexing.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider } from '#queue/sqs.ts'
import { indexQueue } from '#text-search/wake-schema.ts'

const base = foundation('search-index')

/** Updates the search index of a firm from its records. */
export const handler = consume(indexQueue, {
  work: indexingFoundation(base).run,
  hide: messageHider(indexQueue),
  log: base.log,
})
