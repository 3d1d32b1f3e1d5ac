import type { EventQuery, EventRecord } from '#calendar/ports.ts'
import type { Db } from '../db.ts'
import { type Entry, filedList, type Range, type Source } from '../sorted-list.ts'
import { justBefore, listMonthOf, listMonthsOf, startOfListDay } from './list-days.ts'

/** An event that a list found, with its record unless the record is large. */
export type FoundEvent = { id: string; record?: EventRecord | undefined }

/** The data of an event in a list entry. */
type Data = { ends_at: string; participants: string[]; record?: EventRecord }

/** Names a list: the timed or all-day events of a type, of all cases or of one. */
export type EventList = Pick<EventRecord, 'type' | 'all_day'> & { case_id?: string | undefined }

/** A list entry contains a copy of the record if its JSON is at most this long. */
const maxRecordCharacters = 3_000

/**
 * The lists of events by start. A timed event is filed at its start. An all-day event is filed at its first date,
 * because the moment at which its day begins depends on the time zone of the workspace.
 *
 * An event that overlaps a range is found in one of three places:
 *
 * 1. It begins in the range.
 * 2. It begins before the range, but on the day on which the range begins.
 * 3. It begins on an earlier day. Then it crosses the boundary of a day. Each such event is also filed under every
 *    month that it touches, so the list of the month in which the range begins has it.
 */
export function eventLists(db: Db) {
  const list = filedList(db, 'events', 'ascending', entriesOf)

  /** The events in a range of a term that `isWanted` accepts. */
  const sourceOf = (
    workspaceId: string,
    term: string,
    range: Range,
    isWanted: (data: Data) => boolean,
  ): Source<FoundEvent> =>
    list.source(workspaceId, term, range, ({ place, data }) =>
      isWanted(data) ? { id: idOfPlace(place), record: data.record } : undefined,
    )

  return {
    /** The actions that bring the lists from `before` to `after`. */
    changes: list.changes,

    /**
     * The events of a list that overlap a range, as up to three sources. With `attendee` only the events of this user.
     */
    overlapping(
      workspaceId: string,
      eventList: EventList,
      { from, until, attendee }: Pick<EventQuery, 'from' | 'until' | 'attendee'>,
    ): Source<FoundEvent>[] {
      const term = termOf(eventList)
      const isOfAttendee = ({ participants }: Data) =>
        attendee === undefined || participants.includes(attendee)
      const begins = sourceOf(workspaceId, term, { from, until }, isOfAttendee)
      if (from === undefined) return [begins]
      const isRunning = (data: Data) => data.ends_at > from && isOfAttendee(data)
      const dayStart = startOfListDay(from, eventList)
      return [
        begins,
        ...(dayStart < from ? [sourceOf(workspaceId, term, { from: dayStart, until: from }, isRunning)] : []),
        sourceOf(workspaceId, `${listMonthOf(from, eventList)} ${term}`, { until: dayStart }, isRunning),
      ]
    },
  }
}

function entriesOf(record: EventRecord): Entry<Data>[] {
  if (record.deleted_at !== null) return []
  const { type, all_day, case_id, starts_at, ends_at } = record
  const terms = [termOf({ type, all_day }), ...(case_id === null ? [] : [termOf({ type, all_day, case_id })])]
  const crossesDays = startOfListDay(starts_at, record) !== startOfListDay(justBefore(ends_at), record)
  const months = crossesDays
    ? listMonthsOf(record).flatMap((month) => terms.map((term) => `${month} ${term}`))
    : []
  const isLarge = JSON.stringify(record).length > maxRecordCharacters
  const data = { ends_at, participants: participantsOf(record), ...(!isLarge && { record }) }
  return [...terms, ...months].map((term) => ({ term, place: placeOf(record), data }))
}

/** `event`, `meeting case=<uuid>`, `all-day event`; with a month before it `2026-05 event`. */
function termOf({ type, all_day, case_id }: EventList): string {
  return `${all_day ? 'all-day ' : ''}${type}${case_id === undefined ? '' : ` case=${case_id}`}`
}

/** The place of an event in the lists, which are sorted by start and then by id. */
export function placeOf({ starts_at, id }: Pick<EventRecord, 'starts_at' | 'id'>): string {
  return `${starts_at}#${id}`
}

function idOfPlace(place: string): string {
  return place.slice(place.indexOf('#') + 1)
}

/** The attendees of an event. An event without attendees belongs to its creator (K4). */
export function participantsOf({ attendees, created_by }: EventRecord): string[] {
  return attendees.length > 0 ? attendees : [created_by]
}
