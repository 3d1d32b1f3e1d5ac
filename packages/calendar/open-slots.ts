import { calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { isDayOff } from '#german-time/holidays.ts'
import { instantOfLocalTime, localDateOf, withOffset } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import type { Interval } from './ports.ts'

type SlotSearch = {
  range: Interval
  /** Sorted by start, without overlaps: a result of `mergeIntervals`. */
  busy: readonly Interval[]
  duration_minutes: number
  step_minutes: number
  /** `HH:MM`, from `00:00` to `24:00`. */
  working_hours: { start: string; end: string }
  time_zone: string
  region: Region
  limit: number
}

/**
 * The first `limit` slots in which nobody is busy. A slot is inside the range and the working hours, on a working day
 * of the region (K7). It begins when the local clock shows a multiple of `step_minutes`, counted from 00:00, also on
 * days on which summer time begins or ends.
 */
export function openSlots(search: SlotSearch): Interval[] {
  const { range, time_zone, region, limit } = search
  const [from, until] = [Date.parse(range.start), Date.parse(range.end)]
  const slots: Interval[] = []
  const lastDay = dayNumberOf(localDateOf(new Date(until - 1), time_zone))
  let at = 0
  for (let day = dayNumberOf(localDateOf(new Date(from), time_zone)); day <= lastDay; day += 1) {
    const date = calendarDateOf(day)
    if (isDayOff(date, { region })) continue
    for (const { start, end } of candidatesOf(date, search)) {
      if (start < from || end > until) continue
      while (at < search.busy.length && Date.parse(search.busy[at]?.end ?? '') <= start) at += 1
      const next = search.busy[at]
      if (next !== undefined && Date.parse(next.start) < end) continue
      slots.push({ start: new Date(start).toISOString(), end: new Date(end).toISOString() })
      if (slots.length === limit) return slots
    }
  }
  return slots
}

/** Sorts intervals and joins overlapping and touching ones. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { start, end } of intervals.toSorted((one, other) => (one.start < other.start ? -1 : 1))) {
    const last = merged.at(-1)
    if (last === undefined || start > last.end) merged.push({ start, end })
    else if (end > last.end) last.end = end
  }
  return merged
}

/** All slots of a day that fit into the working hours, busy or not, in epoch milliseconds. */
function* candidatesOf(
  date: string,
  { working_hours, step_minutes, duration_minutes, time_zone }: SlotSearch,
): Generator<{ start: number; end: number }> {
  const [opens, closes] = [minutesOf(working_hours.start), minutesOf(working_hours.end)]
  const at = clockOf(date, time_zone)
  const closesAt = at(closes)
  if (closesAt === undefined) return
  const first = Math.ceil(opens / step_minutes) * step_minutes
  for (let minute = first; minute < closes; minute += step_minutes) {
    const start = at(minute)
    if (start === undefined) continue
    const end = start + duration_minutes * 60_000
    if (end <= closesAt) yield { start, end }
  }
}

/**
 * Returns a function that converts a minute of the local day (0 to 1 440) to epoch milliseconds, or to undefined if the
 * clock skips this minute because summer time begins. On a day with 24 hours the function only adds the minutes to
 * midnight and needs no time zone lookup, which is fast.
 */
function clockOf(date: string, timeZone: string): (minute: number) => number | undefined {
  const nextDate = calendarDateOf(dayNumberOf(date) + 1)
  const midnight = instantOfLocalTime(date, '00:00:00', timeZone).getTime()
  const nextMidnight = instantOfLocalTime(nextDate, '00:00:00', timeZone).getTime()
  if (nextMidnight - midnight === 86_400_000) return (minute) => midnight + minute * 60_000
  return (minute) => {
    if (minute === 1_440) return nextMidnight
    const time = timeOf(minute)
    const instant = instantOfLocalTime(date, `${time}:00`, timeZone)
    return withOffset(instant, timeZone).slice(11, 16) === time ? instant.getTime() : undefined
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function timeOf(minute: number): string {
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${digits(Math.floor(minute / 60))}:${digits(minute % 60)}`
}
