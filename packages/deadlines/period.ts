import { calendarDateOf, dayNumber, daysInMonth } from '#german-time/calendar-date.ts'

/** Units that are counted from a day. A working day is any day except Sundays and holidays. */
export const units = ['day', 'week', 'month', 'year', 'working_day'] as const
export type Unit = (typeof units)[number] | 'hour'

export type Period = { unit: Unit; count: number }

/** A period whose length does not depend on the place. */
export type DayPeriod = { unit: 'day' | 'week' | 'month' | 'year'; count: number }

/** Whether the day of the event counts. `after_event`: no (§ 187 Abs. 1 BGB). `start_of_day`: yes (Abs. 2). */
export const starts = ['after_event', 'start_of_day'] as const
export type Start = (typeof starts)[number]

export const directions = ['forward', 'backward'] as const
export type Direction = (typeof directions)[number]

/**
 * A day found by its number in a month. `missingDay` is the date that the month does not have, such as `31.02.2026`.
 */
export type FoundDay = { day: number; missingDay?: string }

/** The last day of a period, working day or not (§ 188 Abs. 1 to 3 BGB). Days are day numbers. */
export function lastDayForward(event: number, { unit, count }: DayPeriod, start: Start): FoundDay {
  const inclusive = start === 'start_of_day' ? 1 : 0
  if (unit === 'day') return { day: event + count - inclusive }
  if (unit === 'week') return { day: event + 7 * count - inclusive }

  const { year, month, day } = numbersOf(event)
  return dayOfMonth(year, month + monthsIn(unit, count), day - inclusive)
}

/** The first day of the full period that ends with `lastDay`. */
export function firstDayBackward(lastDay: number, { unit, count }: DayPeriod): FoundDay {
  const end = lastDay + 1
  if (unit === 'day') return { day: end - count }
  if (unit === 'week') return { day: end - 7 * count }

  const { year, month, day } = numbersOf(end)
  return dayOfMonth(year, month - monthsIn(unit, count), day)
}

function monthsIn(unit: 'month' | 'year', count: number): number {
  return unit === 'month' ? count : 12 * count
}

/**
 * `monthCount` may lie beyond December. Day 0 is the last day of the month before. If the month does not have the day,
 * its last day is taken (§ 188 Abs. 3 BGB).
 */
function dayOfMonth(year: number, monthCount: number, day: number): FoundDay {
  const { year: ofYear, month } = numbersOf(dayNumber(year, monthCount, 1))
  const last = daysInMonth(ofYear, month)
  if (day <= last) return { day: dayNumber(ofYear, month, day) }
  return {
    day: dayNumber(ofYear, month, last),
    missingDay: `${day}.${String(month).padStart(2, '0')}.${ofYear}`,
  }
}

function numbersOf(day: number): { year: number; month: number; day: number } {
  const date = calendarDateOf(day)
  return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)), day: Number(date.slice(8, 10)) }
}
