import type { EventQuery, EventRecord } from '#calendar/ports.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { dayAfter, startOfLocalDay, startOfUtcDay } from '#german-time/time-range.ts'
import type { Source } from '../sorted-list.ts'

type TimedOrAllDay = Pick<EventRecord, 'all_day'>

/**
 * In the lists of timed events a day begins at 22:00 UTC. In Germany this is midnight in summer, and 23:00 in winter.
 * So an event of one local day hardly ever crosses the boundary of a list day, and a query for local days reads at most
 * one hour more. In the lists of all-day events a day begins at 0:00 UTC, since they are filed by date.
 */
const listDayBeginsAtHour = 22

/** How much earlier a list day begins than the UTC day of the same date. */
function offsetMilliseconds({ all_day }: TimedOrAllDay): number {
  return all_day ? 0 : (24 - listDayBeginsAtHour) * 3_600_000
}

/** The moment at which the list day of a moment begins. */
export function startOfListDay(instant: string, list: TimedOrAllDay): string {
  const date = new Date(Date.parse(instant) + offsetMilliseconds(list)).toISOString().slice(0, 10)
  return new Date(Date.parse(date) - offsetMilliseconds(list)).toISOString()
}

/** The month (`2026-04`) of the list day of a moment. */
export function listMonthOf(instant: string, list: TimedOrAllDay): string {
  return new Date(Date.parse(instant) + offsetMilliseconds(list)).toISOString().slice(0, 7)
}

/** The months of all list days that an event touches. */
export function listMonthsOf(record: EventRecord): string[] {
  const last = listMonthOf(justBefore(record.ends_at), record)
  const months: string[] = []
  for (let month = listMonthOf(record.starts_at, record); month <= last; ) {
    months.push(month)
    const [year = 0, number = 0] = month.split('-').map(Number)
    month = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
  }
  return months
}

/** A millisecond before a moment: the last moment of a half-open interval that ends there. */
export function justBefore(instant: string): string {
  return new Date(Date.parse(instant) - 1).toISOString()
}

/** The local days that a range touches, as midnights in UTC, which is how all-day events are filed. */
export function datesOf({ from, until, time_zone }: EventQuery): { from?: string; until?: string } {
  const dateAt = (instant: string) => localDateOf(new Date(instant), time_zone)
  return {
    ...(from !== undefined && { from: startOfUtcDay(dateAt(from)) }),
    ...(until !== undefined && { until: startOfUtcDay(dayAfter(dateAt(justBefore(until)))) }),
  }
}

export const instantLength = '2026-04-16T07:00:00.000Z'.length

/** The source with local midnights as places instead of dates, so that all-day events can be merged with timed ones. */
export function inTimeZone<Item extends { id: string }>(
  timeZone: string,
  source: Source<Item>,
): Source<Item> {
  const toLocal = (place: string) =>
    startOfLocalDay(place.slice(0, 10), timeZone) + place.slice(instantLength)
  const toDate = (place: string) => {
    const date = localDateOf(new Date(place.slice(0, instantLength)), timeZone)
    // A place inside a day comes after all events that begin with this day.
    const rest = toLocal(date) === place.slice(0, instantLength) ? place.slice(instantLength) : '~'
    return startOfUtcDay(date) + rest
  }
  return async (after, limit) => {
    const { items, upTo } = await source(after && toDate(after), limit)
    return {
      items: items.map(({ place, item }) => ({ place: toLocal(place), item })),
      upTo: upTo && toLocal(upTo),
    }
  }
}
