import type { EventQuery, EventRecord } from '#calendar/ports.ts'
import type { Change } from '#kernel/updated-since.ts'
import { changeLog } from '../change-log.ts'
import type { Db } from '../db.ts'
import type { Source } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { participantsOf } from './event-lists.ts'
import type { EventRecords } from './event-records.ts'
import { datesOf } from './list-days.ts'

/** The fields of an event that the filters of the calendar use. */
type FilteredFields = Pick<EventRecord, 'type' | 'all_day' | 'case_id' | 'starts_at' | 'ends_at'> & {
  participants: string[]
}

/** The changes of events (G16). */
export function eventChanges(db: Db, records: Pick<EventRecords, 'findAll'>) {
  const log = changeLog<FilteredFields>(db, 'events')

  return {
    /** The actions that add a change of an event to the log. */
    add: (before: EventRecord | undefined, after: EventRecord & { changed_at: string }): Action[] =>
      log.add(after.workspace_id, after.id, after.changed_at, {
        was: before && filteredFieldsOf(before),
        is: after.deleted_at === null ? filteredFieldsOf(after) : undefined,
      }),

    /** The changes from `since` to `until` of events that match the query, or that matched it before. */
    source: (
      workspaceId: string,
      query: EventQuery,
      range: { since: string; until: string },
    ): Source<Change<EventRecord>> =>
      log.source<EventRecord>(workspaceId, range, {
        read: async (ids) => {
          const events = await records.findAll(workspaceId, ids)
          return Array.from(events.values(), (record) => ({
            id: record.id,
            record,
            changed_at: record.changed_at,
            fits: matches(filteredFieldsOf(record), query),
          }))
        },
        mayHaveLeft: (was, is) => matches(was, query) && (is === undefined || !matches(is, query)),
      }),
  }
}

function filteredFieldsOf(record: EventRecord): FilteredFields {
  const { type, all_day, case_id, starts_at, ends_at } = record
  return { type, all_day, case_id, starts_at, ends_at, participants: participantsOf(record) }
}

function matches(event: FilteredFields, query: EventQuery): boolean {
  const { type, case_id, attendee } = query
  const { from, until } = event.all_day ? datesOf(query) : query
  return (
    (type === undefined || type === event.type) &&
    (case_id === undefined || case_id === event.case_id) &&
    (attendee === undefined || event.participants.includes(attendee)) &&
    (from === undefined || event.ends_at > from) &&
    (until === undefined || event.starts_at < until)
  )
}
