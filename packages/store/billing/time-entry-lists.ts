import type { TimeEntryFilters, TimeEntryRecord } from '#billing/ports.ts'
import type { TimeEntry } from '#billing/schema.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { type Entry, filedList, type Source } from '../sorted-list.ts'
import { daySource, placeOn } from './by-day.ts'
import { filterPlan } from './filter-plan.ts'
import { timeEntryEntity } from './time-entry-entity.ts'

/** The lists of time entries by day of work, newest first. A list entry contains the whole time entry. */
export function timeEntryLists(db: Db) {
  const list = filedList(db, 'time_entries', 'descending', entriesOf)
  return {
    /** The actions that bring the lists from `before` to `after`. Undefined stands for a time entry that is in no list. */
    changes: list.changes,

    /** The time entries that pass the filters, the newest day first. */
    source(workspaceId: string, filters: TimeEntryFilters): Source<TimeEntry> {
      return daySource(list, timeEntryFilters, workspaceId, filters, timeEntryEntity.nullable)
    },
  }
}

export const timeEntryFilters = filterPlan([['case_id'], ['user_id', 'billable']])

function entriesOf(record: TimeEntryRecord): Entry<object>[] {
  const { workspace_id: _, version: __, ...data } = withoutNulls(record)
  const place = placeOn(record.date, record.id)
  return timeEntryFilters.allTermsOf(record).map((term) => ({ term, place, data }))
}
