import type { TimeEntry } from '#billing/schema.ts'
import type { RowSource } from '#exports/ports.ts'
import type { Db } from '../db.ts'
import type { WithoutNulls } from '../nulls.ts'
import { datedEntries, termOf } from './dated-entries.ts'
import { type CaseTitle, joinedNames, noLookup } from './joined-names.ts'

/** Time entries in the order of the days of work. */
export function timeEntryRows(db: Db): RowSource {
  return async function* (query) {
    const { workspace_id, fields } = query
    const { case_id, user_id, billable } = query.filters
    const names = joinedNames(db, workspace_id)
    const hasTitle = fields.has('file_number') || fields.has('case_name')
    const titlesOf = hasTitle ? names.cases : noLookup<CaseTitle>()
    const usersOf = fields.has('user_name') ? names.users : noLookup<string>()
    const terms = [...termOf({ case: case_id }), ...termOf({ user: user_id, billable })]
    const batches = datedEntries<WithoutNulls<TimeEntry>>(
      db,
      { name: 'time_entries', query, terms },
      (one) =>
        (case_id === undefined || one.case_id === case_id) &&
        (user_id === undefined || one.user_id === user_id) &&
        (billable === undefined || one.billable === billable),
    )
    for await (const entries of batches) {
      const [titles, users] = await Promise.all([
        titlesOf(entries.map((one) => one.case_id)),
        usersOf(entries.map((one) => one.user_id)),
      ])
      yield entries.map((one) => ({
        date: one.date,
        minutes: one.minutes,
        activity: one.activity,
        billable: one.billable,
        rate: one.rate ?? null,
        amount: one.amount ?? null,
        user_id: one.user_id,
        user_name: users.get(one.user_id) ?? null,
        case_id: one.case_id,
        file_number: titles.get(one.case_id)?.file_number ?? null,
        case_name: titles.get(one.case_id)?.name ?? null,
        invoice_id: one.invoice_id ?? null,
        id: one.id,
        created_at: one.created_at,
      }))
    }
  }
}
