import { type CalendarDate, calendarDateOf, dayNumberOf, weekdayOf } from '#german-time/calendar-date.ts'
import { instantOfLocalTime, localDateOf } from '#german-time/local-time.ts'
import type { Schedule } from './schedule-schema.ts'

/**
 * The first time of a schedule after a given time (X5). A time that does not exist because summer time begins moves
 * forward by the gap. If a time occurs twice because summer time ends, the earlier one counts, so that a day has one
 * run.
 */
export function nextRunAt(schedule: Schedule, after: Date, timeZone: string): Date {
  // A time that does not exist may move to the next day, so the search begins one day earlier.
  for (let day = dayNumberOf(localDateOf(after, timeZone)) - 1; ; day += 1) {
    if (!runsOn(schedule, day)) continue
    const at = instantOfLocalTime(calendarDateOf(day), schedule.time, timeZone)
    if (at > after) return at
  }
}

/** The day of the run before the one that is due at a given time. */
export function dayOfRunBefore(schedule: Schedule, dueAt: Date, timeZone: string): CalendarDate {
  for (let day = dayNumberOf(localDateOf(dueAt, timeZone)) - 1; ; day -= 1)
    if (runsOn(schedule, day)) return calendarDateOf(day)
}

/** Whether a schedule has a run on the day with this number. */
function runsOn(schedule: Schedule, day: number): boolean {
  if (schedule.frequency === 'daily') return true
  if (schedule.frequency === 'weekly') return weekdayOf(day) === schedule.weekday % 7
  return Number(calendarDateOf(day).slice(8, 10)) === schedule.day
}
