import { once } from '#kernel/once.ts'
import { type CalendarDate, calendarDateOf, dayNumberOf } from './calendar-date.ts'

/** The last second of a day in a time zone, as ISO 8601 with the offset: `2026-11-20T23:59:59+01:00` (F1, F10). */
export function endOfLocalDay(date: CalendarDate, timeZone: string): string {
  return withOffset(instantOfLocalTime(date, '23:59:59', timeZone), timeZone)
}

/**
 * The moment `days` calendar days earlier, at the same local time to the millisecond (F2). If summer time begins or
 * ends in between, the difference is not a multiple of 24 hours. For a local time that does not exist or occurs twice
 * on that day, see `instantOfLocalTime`.
 */
export function sameLocalTimeDaysBefore(instant: Date, days: number, timeZone: string): Date {
  const local = localClock(instant, timeZone).toISOString()
  const date = calendarDateOf(dayNumberOf(local.slice(0, 10)) - days)
  return instantOfLocalTime(date, local.slice(11, 23), timeZone)
}

/**
 * The moment at which clocks in the time zone show this date and time (`HH:MM`, `HH:MM:SS` or `HH:MM:SS.sss`). If the
 * time does not exist because summer time begins, it moves forward by the skipped time: 02:30 becomes 03:30. If it
 * occurs twice because summer time ends, the result is the earlier moment, so that nothing is due later than intended.
 */
export function instantOfLocalTime(date: CalendarDate, time: string, timeZone: string): Date {
  const asUtc = Date.parse(`${date}T${time}Z`)
  const offsetBefore = offsetMinutes(new Date(asUtc - dayInMilliseconds), timeZone)
  const offsetAfter = offsetMinutes(new Date(asUtc + dayInMilliseconds), timeZone)
  const candidates = [offsetBefore, offsetAfter]
    .map((offset) => ({ offset, instant: new Date(asUtc - offset * 60_000) }))
    .filter(({ offset, instant }) => offsetMinutes(instant, timeZone) === offset)
    .map(({ instant }) => instant.getTime())
  if (candidates.length > 0) return new Date(Math.min(...candidates))
  return new Date(asUtc - offsetBefore * 60_000)
}

export function localDateOf(instant: Date, timeZone: string): CalendarDate {
  return localClock(instant, timeZone).toISOString().slice(0, 10)
}

/** A date whose UTC fields (`getUTCHours` and so on) show the local time at a moment. */
export function localClock(instant: Date, timeZone: string): Date {
  return new Date(instant.getTime() + offsetMinutes(instant, timeZone) * 60_000)
}

/** A moment in local time with the offset, as ISO 8601 to the second: `2026-11-20T23:59:59+01:00` (G6). */
export function withOffset(instant: Date, timeZone: string): string {
  const offset = offsetMinutes(instant, timeZone)
  const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, 19)
  const minutes = Math.abs(offset)
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`
}

const dayInMilliseconds = 86_400_000

/**
 * The minutes by which local time is ahead of UTC at a moment. Seconds, which only historical offsets have, are
 * dropped.
 */
function offsetMinutes(instant: Date, timeZone: string): number {
  if (timeZone === 'Europe/Berlin') {
    const year = instant.getUTCFullYear()
    if (year >= firstYearOfSummerTimeRule) return isGermanSummerTime(instant, year) ? 120 : 60
  }
  const text = offsetFormat(timeZone).format(instant)
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text) ?? []
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return sign === '-' ? -size : size
}

const firstYearOfSummerTimeRule = 1996

/**
 * Whether it is summer time in Germany. Since 1996 it lasts from 01:00 UTC on the last Sunday of March to 01:00 UTC on
 * the last Sunday of October (§§ 1, 2 Sommerzeitverordnung; articles 2 and 3 of directive 2000/84/EC). The time zone
 * data of the runtime says the same, as a test checks, but reading it would add 15 milliseconds to a cold start.
 */
function isGermanSummerTime(instant: Date, year: number): boolean {
  const time = instant.getTime()
  return lastSunday(year, march) <= time && time < lastSunday(year, october)
}

const march = 2
const october = 9

/** 01:00 UTC on the last Sunday of a month with 31 days. */
function lastSunday(year: number, month: number): number {
  const lastDay = Date.UTC(year, month, 31, 1)
  return lastDay - new Date(lastDay).getUTCDay() * dayInMilliseconds
}

const offsetFormat = once(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' }),
)
