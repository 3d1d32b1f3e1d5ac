import { consumer } from '#foundation/consumer.ts'
import { foundation } from '#foundation/foundation.ts'
import { indexingFoundation } from '#foundation/text-indexing.ts'
import { indexQueue } from '#text-search/wake-schema.ts'

const base = foundation('search-index')

/** Updates the search index of a firm from its records. */
export const handler = consumer(base, indexQueue, indexingFoundation(base).run)
