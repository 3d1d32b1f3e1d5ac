import type { SourceQuery } from '#exports/ports.ts'
import { rangeOfDays } from '../billing/by-day.ts'
import type { Db } from '../db.ts'
import { sortedList } from '../sorted-list.ts'
import { entriesUnder } from './entry-batches.ts'

/**
 * The data of a list by day that is filed under all of these terms, in the days of the query, oldest first. A day may
 * change while the list is read: what was given is not given again.
 *
 * @param name the list's: `invoices`
 * @param isWanted whether data is filed under all of the terms
 */
export async function* datedEntries<Data extends { id: string }>(
  db: Db,
  { name, query, terms }: { name: string; query: SourceQuery; terms: string[] },
  isWanted: (data: Data) => boolean,
): AsyncGenerator<Data[]> {
  const list = sortedList<Data>(db, name, 'ascending')
  const range = rangeOfDays(query.filters)
  const given = new Set<string>()
  const batches = entriesUnder<Data>(
    terms.length === 0 ? ['all'] : terms,
    (term, after, limit) => list.read(query.workspace_id, term, { ...range, after }, limit),
    isWanted,
  )
  for await (const entries of batches)
    yield entries.map(({ data }) => data).filter(({ id }) => !given.has(id) && given.add(id))
}

/** The term of these values, such as `party=… status=…`; none where none of them is set. */
export function termOf(values: Record<string, string | boolean | undefined>): string[] {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? [] : [given.map(([name, value]) => `${name}=${value}`).join(' ')]
}
