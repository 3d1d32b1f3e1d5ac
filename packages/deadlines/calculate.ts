import { type CalendarDate, calendarDateOf, dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { holidayOn, isDayOff, type Place } from '#german-time/holidays.ts'
import { endOfLocalDay } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { type FederalCourt, placeName, type RegionSource } from './courts.ts'
import { type Law, type LawProvisions, laws } from './laws.ts'
import { type Direction, firstDayBackward, lastDayForward, type Period, type Start } from './period.ts'
import { type Preset, type PresetKey, presetOf } from './presets.ts'
import { warningsOf } from './warnings.ts'

/**
 * When a period ends, and why: §§ 187 to 193 BGB, § 222 ZPO and their likes in the other procedures (F10).
 *
 * A forward period that ends on a day off ends on the next working day, a backward period on the previous one. The
 * start never moves. 24 and 31 December are working days. A backward period lies completely before the event:
 * `calculated_date` is the day before its first day, the last day on which the act is in time.
 *
 * A pure function with an answer for every input that `CalculationBody` accepts. Dates have no time zone; only
 * `due_at` has one.
 */
export function calculate(input: CalculationInput): Calculation {
  const { preset, period, start, direction, law } = termsOf(input)
  const request: Request = { event: dayNumberOf(input.event_date), period, start, provisions: laws[law] }
  const { calculated, steps } = direction === 'forward' ? countForward(request) : countBackward(request)
  const { due, skipped } = workingDay(calculated, direction, input)
  const due_date = calendarDateOf(due)
  const court = input.region_source === 'court' ? preset?.court : undefined
  return {
    due_date,
    due_at: endOfLocalDay(due_date, input.time_zone),
    calculated_date: calendarDateOf(calculated),
    shifted: due !== calculated,
    shift_reason: skipped.length > 0 ? skipped.map((day) => dayOff(day, input)).join('; ') : null,
    region: input.region,
    region_source: input.region_source,
    steps: [
      ...steps,
      {
        rule: laws[law].shift,
        date: due_date,
        text: shiftText({ due, skipped, direction, place: input, court }),
      },
    ],
    warnings: warningsOf({
      event_date: input.event_date,
      place: input,
      court,
      workspaceRegion: input.workspace_region,
      preset,
      direction,
      due,
      skipped,
    }),
  }
}

/**
 * The place is the one where the act is due, the seat of the court, and `region_source` says who named it.
 * `workspace_region` is where the firm is. `time_zone` is an IANA name.
 */
export type CalculationInput = Place &
  PeriodChoice & {
    event_date: CalendarDate
    time_zone: string
    region_source: RegionSource
    workspace_region?: Region
  }

/** A preset, or a period with its start (default `after_event`) and direction (default `forward`). */
export type PeriodChoice =
  | { preset: PresetKey }
  | { preset?: undefined; period: Period; start?: Start | undefined; direction?: Direction | undefined }

export type Calculation = {
  due_date: CalendarDate
  /** 23:59:59 of `due_date` in the time zone, ISO 8601 with offset. */
  due_at: string
  /** The end before it is moved from a day off. */
  calculated_date: CalendarDate
  shifted: boolean
  /** The days off that the end moved over, in German. */
  shift_reason: string | null
  /** The Land whose holidays were counted, and who named it. */
  region: Region
  region_source: RegionSource
  steps: CalculationStep[]
  /** German sentences, most urgent first. */
  warnings: string[]
}

/** One step of the explanation: the provision, the date it leads to, a German sentence. The last leads to `due_date`. */
export type CalculationStep = { rule: string; date: CalendarDate; text: string }

type Request = { event: number; period: Period; start: Start; provisions: LawProvisions }

type Counted = { calculated: number; steps: CalculationStep[] }

/** What is counted: the terms of the preset, or those given. */
export function termsOf(input: PeriodChoice & { event_date: CalendarDate }): {
  preset?: Preset
  period: Period
  start: Start
  direction: Direction
  law: Law
} {
  if (input.preset === undefined) {
    const { period, start = 'after_event', direction = 'forward' } = input
    return { period, start, direction, law: 'general' }
  }
  const preset = presetOf(input.preset)
  const { start, direction, law, since } = preset
  const period = (since && input.event_date < since.date && since.period) || preset.period
  return { preset, period, start, direction, law }
}

function countForward({ event, period, start, provisions }: Request): Counted {
  const end = lastDayForward(event, period, start)
  const afterEvent = start === 'after_event'
  const firstDay = afterEvent ? event + 1 : event
  const steps: CalculationStep[] = [
    {
      rule: afterEvent ? provisions.afterEvent : provisions.startOfDay,
      date: calendarDateOf(firstDay),
      text: `${afterEvent ? `Der Tag des Ereignisses (${germanDate(event)}) zählt nicht mit` : 'Der Beginn des Tages ist maßgebend, er zählt mit'}; die Frist beginnt am ${germanDate(firstDay)}${basisOf(provisions)}.`,
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

/** The rules apply correspondingly: the full period lies before the event, and the act must be done before it begins. */
function countBackward({ event, period, start, provisions }: Request): Counted {
  const afterEvent = start === 'after_event'
  const lastDay = afterEvent ? event - 1 : event
  const first = firstDayBackward(lastDay, period)
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
        text: `Rückwärts gerechnet (entsprechende Anwendung) zählt der Tag des Ereignisses (${germanDate(event)}) ${afterEvent ? 'nicht mit' : 'mit'}; der letzte Tag der Frist ist ${germanDate(lastDay)}${basisOf(provisions)}.`,
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

/** The day itself or, for a day off, the nearest working day in this direction. `skipped` are the days off. */
function workingDay(from: number, direction: Direction, place: Place): { due: number; skipped: number[] } {
  const step = direction === 'forward' ? 1 : -1
  const skipped: number[] = []
  let due = from
  while (isDayOff(calendarDateOf(due), place)) {
    skipped.push(due)
    due += step
  }
  return { due, skipped }
}

function shiftText({
  due,
  skipped,
  direction,
  place,
  court,
}: {
  due: number
  skipped: number[]
  direction: Direction
  place: Place
  court: FederalCourt | undefined
}): string {
  const land = placeName(place, court)
  if (skipped.length === 0) {
    return `${germanDate(due)} ist in ${land} kein Samstag, Sonntag oder gesetzlicher Feiertag; es bleibt bei diesem Tag.`
  }
  const daysOff = skipped.map((day) => dayOff(day, place, { withSource: true })).join('; ')
  return direction === 'forward'
    ? `Das Ende fällt in ${land} nicht auf einen Werktag: ${daysOff}. Die Frist endet mit Ablauf des nächsten Werktags: ${germanDate(due)}.`
    : `Der Tag ist in ${land} kein Werktag: ${daysOff}. Eine rückwärts laufende Frist verlängert sich dadurch nicht; zu handeln ist am vorhergehenden Werktag: ${germanDate(due)}.`
}

function dayOff(day: number, place: Place, { withSource = false } = {}): string {
  const holiday = holidayOn(calendarDateOf(day), place)
  if (!holiday) return germanDate(day)
  return `${holiday.name} (${germanDate(day)}${withSource ? `; ${holiday.source}` : ''})`
}

function basisOf({ through }: LawProvisions): string {
  return through ? ` (anwendbar nach ${through})` : ''
}

function endRule({ unit }: Period, provisions: LawProvisions): string {
  return unit === 'day' ? provisions.days : provisions.weeksAndMonths
}

function correspondingDay({ unit }: Period, start: Start): string {
  if (unit === 'day') return 'ihres letzten Tages'
  const by = unit === 'week' ? 'durch seine Benennung' : 'durch seine Zahl'
  return start === 'after_event'
    ? `des Tages, der ${by} dem Tag des Ereignisses entspricht`
    : `des Tages, der dem Tag vorhergeht, der ${by} dem Anfangstag entspricht`
}

function germanPeriod({ unit, count }: Period): string {
  const [one, many] = {
    day: ['Tag', 'Tagen'],
    week: ['Woche', 'Wochen'],
    month: ['Monat', 'Monaten'],
    year: ['Jahr', 'Jahren'],
  }[unit]
  return `${count} ${count === 1 ? one : many}`
}
