import { type CalendarDate, calendarDateOf, germanDate } from '#german-time/calendar-date.ts'
import type { Place } from '#german-time/holidays.ts'
import { type Law, type LawProvisions, laws } from './laws.ts'
import {
  type DayPeriod,
  type Direction,
  type FoundDay,
  firstDayBackward,
  lastDayForward,
  type Period,
  type Start,
} from './period.ts'
import { firstWorkingDay, lastWorkingDay } from './working-days.ts'

/**
 * One step of the explanation: the provision, the resulting date, a German sentence. The last step's date is
 * `due_date`.
 */
export type CalculationStep = { rule: string; date: CalendarDate; text: string }

/** The period to count, the law that counts it, and whether its end moves from a day off. */
export type Terms = { period: Period; start: Start; direction: Direction; law: Law; shift: 'auto' | 'none' }

type Counted = { calculated: number; steps: CalculationStep[] }

/** The end of a forward period, working day or not, with its steps (§§ 187, 188 BGB). `event` is a day number. */
export function countForward(event: number, { period, start, law }: Terms, place: Place): Counted {
  const provisions = laws[law]
  const end = lastDayOf(event, period, start, place)
  const afterEvent = start === 'after_event'
  const firstDay = afterEvent ? event + 1 : event
  const steps: CalculationStep[] = [
    {
      rule: afterEvent ? provisions.afterEvent : provisions.startOfDay,
      date: calendarDateOf(firstDay),
      text: `${afterEvent ? `Der Tag des Ereignisses (${germanDate(event)}) zählt nicht mit` : 'Der Beginn des Tages ist maßgebend, er zählt mit'}; die Frist beginnt am ${germanDate(firstDay)}${throughText(provisions)}.`,
    },
    {
      rule: endRule(period, provisions),
      date: calendarDateOf(end.day),
      text: `Die Frist von ${germanPeriod(period)} endet mit Ablauf ${correspondingDay(period, start)}: ${end.missingDay ? `dem ${end.missingDay}` : germanDate(end.day)}.`,
    },
  ]
  if (end.missingDay) {
    steps.push({
      rule: provisions.missingDay,
      date: calendarDateOf(end.day),
      text: `Diesen Tag gibt es nicht; die Frist endet mit Ablauf des letzten Tages des Monats: ${germanDate(end.day)}.`,
    })
  }
  return { calculated: end.day, steps }
}

/**
 * The rules apply by analogy: the full period lies before the event, and the act must be done before the period begins.
 */
export function countBackward(event: number, { period, start, law }: Terms, place: Place): Counted {
  const provisions = laws[law]
  const afterEvent = start === 'after_event'
  const lastDay = afterEvent ? event - 1 : event
  const first = firstDayOf(lastDay, period, place)
  const calculated = first.day - 1
  const reach = first.missingDay
    ? `reichte bis zum ${first.missingDay} zurück. Diesen Tag gibt es nicht; sie reicht bis zum letzten Tag des Monats: ${germanDate(first.day)}.`
    : `reicht bis ${germanDate(first.day)} zurück.`
  return {
    calculated,
    steps: [
      {
        rule: afterEvent ? provisions.afterEvent : provisions.startOfDay,
        date: calendarDateOf(lastDay),
        text: `Rückwärts gerechnet (entsprechende Anwendung) zählt der Tag des Ereignisses (${germanDate(event)}) ${afterEvent ? 'nicht mit' : 'mit'}; der letzte Tag der Frist ist ${germanDate(lastDay)}${throughText(provisions)}.`,
      },
      {
        rule: first.missingDay ? provisions.missingDay : endRule(period, provisions),
        date: calendarDateOf(first.day),
        text: `Die volle Frist von ${germanPeriod(period)} ${reach}`,
      },
      {
        rule: endRule(period, provisions),
        date: calendarDateOf(calculated),
        text: `Die Handlung muss vor Beginn der vollen Frist vorgenommen sein, spätestens am ${germanDate(calculated)}.`,
      },
    ],
  }
}

/** Always with digits: `1 Monat` (not `einem Monat`), `14 Tagen`, `3 Werktagen`. */
export function germanPeriod({ unit, count }: Period): string {
  const [one, many] = {
    day: ['Tag', 'Tagen'],
    week: ['Woche', 'Wochen'],
    month: ['Monat', 'Monaten'],
    year: ['Jahr', 'Jahren'],
    working_day: ['Werktag', 'Werktagen'],
    hour: ['Stunde', 'Stunden'],
  }[unit]
  return `${count} ${count === 1 ? one : many}`
}

function lastDayOf(event: number, { unit, count }: Period, start: Start, place: Place): FoundDay {
  if (unit === 'working_day') return { day: lastWorkingDay(event, count, start, place) }
  return lastDayForward(event, dayPeriod(unit, count), start)
}

function firstDayOf(lastDay: number, { unit, count }: Period, place: Place): FoundDay {
  if (unit === 'working_day') return { day: firstWorkingDay(lastDay, count, place) }
  return firstDayBackward(lastDay, dayPeriod(unit, count))
}

function dayPeriod(unit: Exclude<Period['unit'], 'working_day'>, count: number): DayPeriod {
  if (unit === 'hour') throw new Error('Hours are counted from a moment, not from a day.')
  return { unit, count }
}

function throughText({ through }: LawProvisions): string {
  return through ? ` (anwendbar nach ${through})` : ''
}

function endRule({ unit }: Period, provisions: LawProvisions): string {
  return unit === 'day' || unit === 'working_day' ? provisions.days : provisions.weeksAndMonths
}

function correspondingDay({ unit }: Period, start: Start): string {
  if (unit === 'day') return 'ihres letzten Tages'
  if (unit === 'working_day')
    return 'ihres letzten Werktags (der Samstag ist einer: BGH, 27.04.2005 – VIII ZR 206/04)'
  const by = unit === 'week' ? 'durch seine Benennung' : 'durch seine Zahl'
  return start === 'after_event'
    ? `des Tages, der ${by} dem Tag des Ereignisses entspricht`
    : `des Tages, der dem Tag vorhergeht, der ${by} dem Anfangstag entspricht`
}
