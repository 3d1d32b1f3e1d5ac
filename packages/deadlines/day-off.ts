import { calendarDateOf, germanDate } from '#german-time/calendar-date.ts'
import { holidayOn, type Place } from '#german-time/holidays.ts'

/**
 * A day off in German: `Samstag, 07.03.2026`, or a holiday with its name. `withSource` adds the provision that makes it
 * a holiday.
 */
export function dayOff(day: number, place: Place, { withSource = false } = {}): string {
  const holiday = holidayOn(calendarDateOf(day), place)
  if (!holiday) return germanDate(day)
  return `${holiday.name} (${germanDate(day)}${withSource ? `; ${holiday.source}` : ''})`
}
