import { type CalendarDate, calendarDateOf, dayNumber, germanDate } from '#german-time/calendar-date.ts'
import { type DayPeriod, lastDayForward } from './period.ts'

/** When a period begins if not on the day of the event. */
export const beginnings = ['year_end', 'next_month', 'next_day', 'after'] as const

/**
 * A period that does not begin on the day of the event. It begins at the end of the event's year (§ 199 BGB), or
 * with the month or the day after the event (§§ 558b, 556 BGB). It may also begin when another period has passed (§ 72b
 * ArbGG). A day off does not prolong that other period.
 */
export type Begins = { statute: string } & (
  | { kind: 'year_end' }
  | { kind: 'next_month' }
  | { kind: 'next_day' }
  | { kind: 'after'; period: DayPeriod }
)

/** The day from which the period is counted, and the step that explains it. Days are day numbers. */
export function beginningOf(
  event: number,
  begins: Begins,
): { day: number; step: { rule: string; date: CalendarDate; text: string } } {
  const day = dayOf(event, begins)
  const text = {
    year_end: `Die Frist beginnt mit dem Schluss des Jahres, in das das Ereignis (${germanDate(event)}) fällt: ${germanDate(day)}.`,
    next_month: `Gezählt wird in vollen Kalendermonaten nach dem Ereignis (${germanDate(event)}), also ab ${germanDate(day)}.`,
    next_day: `Gezählt wird in vollen Monaten nach dem Ende des Zeitraums (${germanDate(event)}), also ab ${germanDate(day)}.`,
    after: `Die Frist beginnt erst mit Ablauf von ${germanDate(day)}; ein arbeitsfreier Tag verschiebt diesen Beginn nicht.`,
  }[begins.kind]
  return { day, step: { rule: begins.statute, date: calendarDateOf(day), text } }
}

function dayOf(event: number, begins: Begins): number {
  const date = calendarDateOf(event)
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))]
  if (begins.kind === 'year_end') return dayNumber(year, 12, 31)
  if (begins.kind === 'next_month') return dayNumber(year, month + 1, 1)
  if (begins.kind === 'next_day') return event + 1
  return lastDayForward(event, begins.period, 'after_event').day
}
