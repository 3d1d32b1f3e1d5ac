import type { TimeEntryFilters, TimeEntryRecord } from '#billing/ports.ts'
import type { TimeEntry } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { type Entry, type Source, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { placeOn, rangeOfDays } from './by-day.ts'
import { timeEntryEntity } from './time-entry-entity.ts'

/** The lists of time entries by day of work, newest first, with what each entry shows. */
export function timeEntryLists(db: Db) {
  const list = sortedList<object>(db, 'time_entries', 'descending')
  return {
    /** The actions that bring the lists from `before` to `after`; undefined: in no list. */
    changes(
      workspaceId: string,
      before: TimeEntryRecord | undefined,
      after: TimeEntryRecord | undefined,
    ): Action[] {
      return list.changes(workspaceId, before ? entriesOf(before) : [], after ? entriesOf(after) : [])
    },

    /** A range of the term that fits the filters best; what it does not filter is filtered on the way. */
    source(workspaceId: string, filters: TimeEntryFilters): Source<TimeEntry> {
      const { user_id, case_id, billable } = filters
      return list.source(workspaceId, drivingTerm(filters), rangeOfDays(filters), ({ data }) => {
        const entry = withNulls(data as TimeEntry, timeEntryEntity.nullable)
        const isWanted =
          (user_id === undefined || entry.user_id === user_id) &&
          (case_id === undefined || entry.case_id === case_id) &&
          (billable === undefined || entry.billable === billable)
        return isWanted ? entry : undefined
      })
    },
  }
}

function entriesOf(record: TimeEntryRecord): Entry<object>[] {
  const { workspace_id: _, version: __, ...data } = withoutNulls(record)
  const { id, date, case_id, user_id, billable } = record
  const terms = [
    'all',
    `case=${case_id}`,
    `user=${user_id}`,
    `billable=${billable}`,
    `user=${user_id} billable=${billable}`,
  ]
  return terms.map((term) => ({ term, place: placeOn(date, id), data }))
}

function drivingTerm({ user_id, case_id, billable }: TimeEntryFilters): string {
  if (case_id !== undefined) return `case=${case_id}`
  if (user_id !== undefined && billable !== undefined) return `user=${user_id} billable=${billable}`
  if (user_id !== undefined) return `user=${user_id}`
  return billable === undefined ? 'all' : `billable=${billable}`
}
