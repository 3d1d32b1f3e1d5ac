import { calendarDateOf, weekdayOf } from '#german-time/calendar-date.ts'
import { holidayOn, type Place } from '#german-time/holidays.ts'
import type { Start } from './period.ts'

/**
 * Whether a day is a Werktag of a period in working days: every day except Sundays and public holidays. A Saturday
 * counts (BGH, 27.04.2005 – VIII ZR 206/04).
 */
function isWorkingDay(day: number, place: Place): boolean {
  return weekdayOf(day) !== 0 && holidayOn(calendarDateOf(day), place) === undefined
}

/**
 * The last of `count` working days after the event; with `start_of_day` the day of the event counts. Days are day
 * numbers.
 */
export function lastWorkingDay(event: number, count: number, start: Start, place: Place): number {
  let day = start === 'after_event' ? event : event - 1
  for (let left = count; left > 0; ) {
    day += 1
    if (isWorkingDay(day, place)) left -= 1
  }
  return day
}

/** The first of `count` working days that end on `lastDay` or before it. */
export function firstWorkingDay(lastDay: number, count: number, place: Place): number {
  let day = lastDay + 1
  for (let left = count; left > 0; ) {
    day -= 1
    if (isWorkingDay(day, place)) left -= 1
  }
  return day
}
