import { calendarDateOf, germanDate } from '#german-time/calendar-date.ts'
import { holidayOn, isDayOff, type Place } from '#german-time/holidays.ts'
import type { Direction } from './period.ts'

/**
 * A day off in German: `Samstag, 07.03.2026`, or a holiday with its name. `withSource` adds the provision that makes it
 * a holiday.
 */
export function germanDayOff(day: number, place: Place, { withSource = false } = {}): string {
  const holiday = holidayOn(calendarDateOf(day), place)
  if (!holiday) return germanDate(day)
  return `${holiday.name} (${germanDate(day)}${withSource ? `; ${holiday.source}` : ''})`
}

/** The day itself or, for a day off, the nearest working day in this direction. `skipped` are the days off. */
export function workingDay(
  from: number,
  direction: Direction,
  place: Place,
): { due: number; skipped: number[] } {
  const step = direction === 'forward' ? 1 : -1
  const skipped: number[] = []
  let due = from
  while (isDayOff(calendarDateOf(due), place)) {
    skipped.push(due)
    due += step
  }
  return { due, skipped }
}
