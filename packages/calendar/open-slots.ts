import { calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { isDayOff } from '#german-time/holidays.ts'
import { instantOfLocalTime, localDateOf, withOffset } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import type { Interval } from './ports.ts'

export type SlotSearch = {
  range: Interval
  /** Merged and ordered: see `mergeIntervals`. */
  busy: readonly Interval[]
  duration_minutes: number
  step_minutes: number
  /** `HH:MM`, to `24:00`. */
  working_hours: { start: string; end: string }
  time_zone: string
  region: Region
  limit: number
}

/**
 * The first slots in which nobody is busy: in the range, in the working hours, on working days of the region (K7).
 * They begin at multiples of the step, counted from local midnight by the clock, also on days on which summer time
 * begins or ends.
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

/** The times of a day at multiples of the step in the working hours, in milliseconds. */
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
 * The moment of a minute of the day by the clock, in milliseconds; undefined if summer time skips it. On days with 24
 * hours, which are nearly all, this is a sum.
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
