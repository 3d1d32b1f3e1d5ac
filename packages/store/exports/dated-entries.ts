import type { SourceFilters, SourceQuery } from '#exports/ports.ts'
import { rangeOfDays } from '../billing/by-day.ts'
import type { FilterPlan } from '../billing/filter-plan.ts'
import type { Db } from '../db.ts'
import { sortedList } from '../sorted-list.ts'
import { entriesUnder } from './entry-batches.ts'

/**
 * The data of a list by day that passes the filters of the query, in its days, oldest first. A day may change while the
 * list is read: what was given is not given again.
 *
 * @param name the list's: `invoices`
 * @param plan what the list is filed under
 */
export async function* datedEntries<
  Data extends { id: string } & { [Name in Field]?: unknown },
  Field extends keyof SourceFilters,
>(
  db: Db,
  { name, query, plan }: { name: string; query: SourceQuery; plan: FilterPlan<Field> },
): AsyncGenerator<Data[]> {
  const list = sortedList<Data>(db, name, 'ascending')
  const range = rangeOfDays(query.filters)
  const terms = plan.termsOf(query.filters)
  const given = new Set<string>()
  const batches = entriesUnder<Data>(
    terms.length === 0 ? ['all'] : terms,
    (term, after, limit) => list.read(query.workspace_id, term, { ...range, after }, limit),
    (data) => plan.passes(data, query.filters),
  )
  for await (const entries of batches)
    yield entries.map(({ data }) => data).filter(({ id }) => !given.has(id) && given.add(id))
}
