import type { TimeEntryFilters, TimeEntryRecord } from '#billing/ports.ts'
import type { TimeEntry } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { type Entry, type Source, sortedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { daySource, placeOn } from './by-day.ts'
import { filterPlan } from './filter-plan.ts'
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
      return daySource(list, timeEntryFilters, workspaceId, filters, timeEntryEntity.nullable)
    },
  }
}

/** The filters of the list. */
export const timeEntryFilters = filterPlan([['case_id'], ['user_id', 'billable']])

function entriesOf(record: TimeEntryRecord): Entry<object>[] {
  const { workspace_id: _, version: __, ...data } = withoutNulls(record)
  const place = placeOn(record.date, record.id)
  return timeEntryFilters.allTermsOf(record).map((term) => ({ term, place, data }))
}
