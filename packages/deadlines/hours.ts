import { dayNumberOf } from '#german-time/calendar-date.ts'
import { isDayOff, type Place } from '#german-time/holidays.ts'
import { endOfLocalDay, localDateOf } from '#german-time/local-time.ts'
import { dayAfter, startOfLocalDay } from '#german-time/time-range.ts'

/**
 * The moment at which a period of hours ends: Saturdays, Sundays and public holidays are not counted (§ 222 Abs. 3
 * ZPO), unless `skipsDaysOff` is false. Hours are elapsed hours: the night on which summer time begins has one hour
 * less. A period that would end at midnight ends at 23:59:59 of the day before, like every other period.
 *
 * @returns the moment in UTC and the days off, as day numbers, that were not counted
 */
export function endOfHours(
  event_at: string,
  count: number,
  { place, timeZone, skipsDaysOff }: { place: Place; timeZone: string; skipsDaysOff: boolean },
): { end: string; skipped: number[] } {
  const skipped: number[] = []
  let at = Date.parse(event_at)
  let left = count * millisecondsPerHour
  for (;;) {
    const date = localDateOf(new Date(at), timeZone)
    const midnight = Date.parse(startOfLocalDay(dayAfter(date), timeZone))
    if (skipsDaysOff && isDayOff(date, place)) {
      skipped.push(dayNumberOf(date))
      at = midnight
      continue
    }
    if (left === midnight - at) return { end: new Date(endOfLocalDay(date, timeZone)).toISOString(), skipped }
    if (left < midnight - at) return { end: new Date(at + left).toISOString(), skipped }
    left -= midnight - at
    at = midnight
  }
}

const millisecondsPerHour = 3_600_000
