import type { SourceQuery } from '#exports/ports.ts'
import type { IdKind } from '#kernel/id.ts'
import type { Db } from '../db.ts'
import { filterTerm } from '../search.ts'
import { type Placed, sortedList } from '../sorted-list.ts'
import { idRange } from './date-ranges.ts'
import { entriesUnder } from './entry-batches.ts'

/** The data of an entry in a searchable list, under `all` and under each filter value. */
export type ListedEntry<Summary> = { filters: string[]; summary: Summary }

/**
 * The entries of a searchable list by age, oldest first, that have these filter values and were created in the days of
 * the query. Their places are the ids, which begin with the time of creation.
 *
 * @param name the list's: `cases`
 */
export function listedEntries<Summary>(
  db: Db,
  { name, kind, query }: { name: string; kind: IdKind; query: SourceQuery },
  filters: Record<string, string | undefined>,
): AsyncGenerator<Placed<ListedEntry<Summary>>[]> {
  const list = sortedList<ListedEntry<Summary>>(db, name, 'ascending')
  const range = idRange(kind, query)
  const terms = Object.entries(filters).flatMap(([filter, value]) =>
    value === undefined ? [] : [filterTerm(filter, value)],
  )
  return entriesUnder(
    terms.length === 0 ? ['all'] : terms,
    (term, after, limit) => list.read(query.workspace_id, term, { ...range, after }, limit),
    (data) => terms.every((term) => data.filters.includes(term)),
  )
}
