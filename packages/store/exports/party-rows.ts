import type { RowSource } from '#exports/ports.ts'
import type { Party } from '#parties/schema.ts'
import type { Db } from '../db.ts'
import { listedEntries } from './listed-entries.ts'

/** Parties in the order of their creation. Their list entries hold everything. */
export function partyRows(db: Db): RowSource {
  return async function* (query) {
    const { type } = query.filters
    for await (const entries of listedEntries<Party>(db, { name: 'parties', kind: 'party', query }, { type }))
      yield entries.map(({ data: { summary } }) => ({ ...summary }))
  }
}
