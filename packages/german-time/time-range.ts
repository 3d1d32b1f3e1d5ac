import * as z from 'zod'
import { invalidRange } from '#kernel/failure.ts'
import { refuse } from '#kernel/refuse.ts'
import { instantText } from '#kernel/text.ts'
import { type CalendarDate, calendarDateOf, dayNumberOf } from './calendar-date.ts'
import { instantOfLocalTime } from './local-time.ts'

/** A day of the workspace's calendar, or a moment in UTC with milliseconds. */
export type DayOrMoment = { date: CalendarDate } | { moment: string }

/** The valid years: they have four digits in every time zone, so that times sort as text. */
const yearsOfTimes = { first: 1900, last: 9998 } as const

export function isYearOfTimes(date: CalendarDate): boolean {
  const year = Number(date.slice(0, 4))
  return year >= yearsOfTimes.first && year <= yearsOfTimes.last
}

/** The schema of a day of the calendar, in a valid year. */
export function calendarDay(): z.ZodISODate {
  const message = `From ${yearsOfTimes.first} to ${yearsOfTimes.last}.`
  return z.iso.date('A calendar date, as YYYY-MM-DD.').refine(isYearOfTimes, message)
}

const calendarDate = z.iso.date()
const instant = z.lazy(() => instantText())
const written = z.lazy(() =>
  z.string().meta({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2}))?$',
  }),
)

/** Schema of a date (`2026-04-16`) or of a moment in ISO 8601. A moment without `Z` or offset is refused (G6). */
export const dayOrMoment = z.lazy(() =>
  written.transform((given, context): DayOrMoment => {
    // An unescaped plus sign in a query arrives as a space.
    const text = given.trim().replace(/(?<=T[\d:.]{1,30}) (?=\d\d:\d\d$)/, '+')
    const isDate = calendarDate.safeParse(text).success
    // The year is checked in UTC: it may differ from the year in the given offset.
    const value = isDate ? text : instant.safeParse(text).data
    if (value === undefined) return refuse(context, 'A date as YYYY-MM-DD, or ISO 8601 with Z or an offset.')
    if (!isYearOfTimes(value)) return refuse(context, `From ${yearsOfTimes.first} to ${yearsOfTimes.last}.`)
    return isDate ? { date: value } : { moment: value }
  }),
)

/** When something is due, UTC, to the second (G6): a date means the end of that day, 23:59:59 local time (F1). */
export function dueInstant(due: DayOrMoment, timeZone: string): string {
  if ('moment' in due) return new Date(Math.floor(Date.parse(due.moment) / 1_000) * 1_000).toISOString()
  return instantOfLocalTime(due.date, '23:59:59', timeZone).toISOString()
}

/** When a local day begins, UTC with milliseconds. */
export function startOfLocalDay(date: CalendarDate, timeZone: string): string {
  return instantOfLocalTime(date, '00:00:00', timeZone).toISOString()
}

/** Midnight UTC, as the sort value of a day that is the same day in every time zone. */
export function startOfUtcDay(date: CalendarDate): string {
  return `${date}T00:00:00.000Z`
}

export function dayAfter(date: CalendarDate): CalendarDate {
  return calendarDateOf(dayNumberOf(date) + 1)
}

/**
 * A range as moments in UTC with milliseconds: `from` is the first moment in it, `until` the first after it. Both ends
 * of the given range are included, dates as whole days (K2, F7).
 *
 * @throws Failure 400 INVALID_DATE_RANGE if `from` is not before `to`; two equal dates are allowed
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
