import * as z from 'zod'
import { invalidRange } from '#kernel/failure.ts'
import { refuse } from '#kernel/refuse.ts'
import { instantText } from '#kernel/text.ts'
import { type CalendarDate, calendarDateOf, dayNumberOf } from './calendar-date.ts'
import { instantOfLocalTime } from './local-time.ts'

/** A day in the workspace's time zone, or a moment in UTC with milliseconds. */
export type DayOrMoment = { date: CalendarDate } | { moment: string }

/**
 * The valid years. A moment in one of them has a year of four digits in every time zone, so times can be sorted as
 * text.
 */
const validYears = { first: 1900, last: 9998 } as const

export function isInValidYear(date: CalendarDate): boolean {
  const year = Number(date.slice(0, 4))
  return year >= validYears.first && year <= validYears.last
}

/** The schema of a date in a valid year. */
export function calendarDay(): z.ZodISODate {
  return z.iso.date('A calendar date, as YYYY-MM-DD.').refine(isInValidYear, invalidYear)
}

const invalidYear = `The year must be from ${validYears.first} to ${validYears.last}.`

const calendarDate = z.iso.date()
const instant = z.lazy(() => instantText())
const dayOrMomentText = z.lazy(() =>
  z.string().meta({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2}))?$',
  }),
)

/** The schema of a date (`2026-04-16`) or a moment (ISO 8601). A moment without `Z` or an offset is refused (G6). */
export const dayOrMoment = z.lazy(() =>
  dayOrMomentText.transform((given, context): DayOrMoment => {
    // An unescaped plus sign in a query arrives as a space.
    const text = given.trim().replace(/(?<=T[\d:.]{1,30}) (?=\d\d:\d\d$)/, '+')
    const isDate = calendarDate.safeParse(text).success
    // The year of a moment is checked in UTC. It may differ from the year in the given offset.
    const value = isDate ? text : instant.safeParse(text).data
    if (value === undefined) return refuse(context, 'A date as YYYY-MM-DD, or ISO 8601 with Z or an offset.')
    if (!isInValidYear(value)) return refuse(context, invalidYear)
    return isDate ? { date: value } : { moment: value }
  }),
)

/** The time at which something is due, in UTC to the second (G6). A date means 23:59:59 local time of that day (F1). */
export function dueInstant(due: DayOrMoment, timeZone: string): string {
  if ('moment' in due) return new Date(Math.floor(Date.parse(due.moment) / 1_000) * 1_000).toISOString()
  return instantOfLocalTime(due.date, '23:59:59', timeZone).toISOString()
}

/** The moment at which a day begins in a time zone, in UTC with milliseconds. */
export function startOfLocalDay(date: CalendarDate, timeZone: string): string {
  return instantOfLocalTime(date, '00:00:00', timeZone).toISOString()
}

/** Midnight UTC. Days that do not depend on a time zone are sorted by it. */
export function startOfUtcDay(date: CalendarDate): string {
  return `${date}T00:00:00.000Z`
}

export function dayAfter(date: CalendarDate): CalendarDate {
  return calendarDateOf(dayNumberOf(date) + 1)
}

/**
 * A range as moments in UTC with milliseconds: `from` is the first moment in the range, `until` the first moment after
 * it. The range includes both given ends, and dates as whole days (K2, F7).
 *
 * @throws Failure 400 INVALID_DATE_RANGE if `from` is not before `to`. Equal dates are allowed, equal moments are not
 */
export function rangeOf(
  { from, to }: { from?: DayOrMoment | undefined; to?: DayOrMoment | undefined },
  timeZone: string,
): { from?: string; until?: string } {
  const first = from && ('moment' in from ? from.moment : startOfLocalDay(from.date, timeZone))
  const end = to && ('moment' in to ? to.moment : startOfLocalDay(dayAfter(to.date), timeZone))
  if (first !== undefined && end !== undefined && first >= end) {
    throw invalidRange('query.from', '`from` must be before `to`.')
  }
  const until = end && to && 'moment' in to ? new Date(Date.parse(end) + 1).toISOString() : end
  return { ...(first !== undefined && { from: first }), ...(until !== undefined && { until }) }
}
