import type { TimeEntry } from '#billing/schema.ts'
import type { RowSource } from '#exports/ports.ts'
import { timeEntryEntity } from '../billing/time-entry-entity.ts'
import { timeEntryFilters } from '../billing/time-entry-lists.ts'
import type { Db } from '../db.ts'
import { type WithoutNulls, withNulls } from '../nulls.ts'
import { datedEntries } from './dated-entries.ts'
import { joinedNames } from './joined-names.ts'

/** Time entries in the order of the days of work. */
export function timeEntryRows(db: Db): RowSource {
  return async function* (query) {
    const { workspace_id, fields } = query
    const names = joinedNames(db, workspace_id)
    const hasTitle = fields.has('file_number') || fields.has('case_name')
    const list = { name: 'time_entries', query, plan: timeEntryFilters }
    const batches: AsyncGenerator<WithoutNulls<TimeEntry>[]> = datedEntries(db, list)
    for await (const entries of batches) {
      const [titles, users] = await Promise.all([
        names.cases(hasTitle ? entries.map((one) => one.case_id) : []),
        names.users(fields.has('user_name') ? entries.map((one) => one.user_id) : []),
      ])
      yield entries.map((one) => ({
        ...withNulls(one, timeEntryEntity.nullable),
        user_name: users.get(one.user_id)?.name ?? null,
        file_number: titles.get(one.case_id)?.file_number ?? null,
        case_name: titles.get(one.case_id)?.name ?? null,
      }))
    }
  }
}
