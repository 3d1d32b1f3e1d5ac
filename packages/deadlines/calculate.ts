import {
  type CalendarDate,
  calendarDateOf,
  dayNumber,
  dayNumberOf,
  daysInMonth,
  germanDate,
} from './calendar-date.ts'
import { holidayOn, holidayYears, isDayOff, lands, type Place, partialHolidayOn } from './holidays.ts'
import { type Law, type LawProvisions, laws } from './laws.ts'
import { endOfLocalDay } from './local-time.ts'
import { type Preset, type PresetKey, presetOf } from './presets.ts'

/**
 * When a period ends, and why: §§ 187 to 193 BGB, § 222 ZPO and their likes in the other procedures (F10).
 *
 * The end of a forward period on a day off moves to the next working day, the end of a backward one to the
 * previous; the start never moves. 24 and 31 December are working days. A backward period is counted whole before
 * the event: `calculated_date` is the day before its first day, the last one on which the act is still in time.
 *
 * Pure and total: every input that `CalculationBody` lets through has an answer. Dates are days of the calendar
 * and know no time zone; only `due_at` does.
 */
export function calculate(input: CalculationInput): Calculation {
  const { preset, period, start, direction, law } = termsOf(input)
  const request: Request = { event: dayNumberOf(input.event_date), period, start, provisions: laws[law] }
  const { calculated, steps } = direction === 'forward' ? endForward(request) : endBackward(request)
  const { due, skipped } = workingDay(calculated, direction, input)
  steps.push(shiftStep({ calculated, due, skipped, direction, place: input, provisions: request.provisions }))

  const due_date = calendarDateOf(due)
  return {
    due_date,
    due_at: endOfLocalDay(due_date, input.time_zone),
    calculated_date: calendarDateOf(calculated),
    shifted: due !== calculated,
    shift_reason: skipped.length > 0 ? skipped.map((day) => dayOff(day, input)).join('; ') : null,
    steps,
    warnings: warningsOf({ input, preset, direction, due, skipped }),
  }
}

/** `after_event`: the day of the event does not count (§ 187 Abs. 1 BGB). `start_of_day`: the first day counts (Abs. 2). */
export const starts = ['after_event', 'start_of_day'] as const
export type Start = (typeof starts)[number]

export const directions = ['forward', 'backward'] as const
export type Direction = (typeof directions)[number]

export const units = ['day', 'week', 'month', 'year'] as const
export type Unit = (typeof units)[number]

export type Period = { unit: Unit; count: number }

/** Half of what defines a calculation: either a preset, or a period with its start and direction. */
export type PeriodChoice =
  | { preset: PresetKey }
  | { preset?: undefined; period: Period; start?: Start | undefined; direction?: Direction | undefined }

/** `time_zone` is an IANA name; the place is the one where the period has to be kept: the seat of the court. */
export type CalculationInput = Place & PeriodChoice & { event_date: CalendarDate; time_zone: string }

/** One step of the reasoning: the provision, the date it leads to, and a German sentence. The last one leads to `due_date`. */
export type CalculationStep = { rule: string; date: CalendarDate; text: string }

export type Calculation = {
  due_date: CalendarDate
  /** 23:59:59 of `due_date` in the time zone, ISO 8601 with offset. */
  due_at: string
  calculated_date: CalendarDate
  shifted: boolean
  shift_reason: string | null
  steps: CalculationStep[]
  /** German sentences, most urgent first. */
  warnings: string[]
}

type Request = { event: number; period: Period; start: Start; provisions: LawProvisions }

type CountedEnd = { calculated: number; steps: CalculationStep[] }

type Terms = { preset?: Preset; period: Period; start: Start; direction: Direction; law: Law }

function termsOf(input: PeriodChoice): Terms {
  if (input.preset !== undefined) {
    const preset = presetOf(input.preset)
    const { period, start, direction, law } = preset
    return { preset, period, start, direction, law }
  }
  const { period, start = 'after_event', direction = 'forward' } = input
  return { period, start, direction, law: 'general' }
}

function endForward({ event, period, start, provisions }: Request): CountedEnd {
  const end = forwardEnd(event, period, start)
  const basis = basisOf(provisions)
  const steps: CalculationStep[] = []
  if (start === 'after_event') {
    steps.push({
      rule: provisions.afterEvent,
      date: calendarDateOf(event + 1),
      text: `Der Tag des Ereignisses (${germanDate(event)}) zählt nicht mit; die Frist beginnt am ${germanDate(event + 1)}${basis}.`,
    })
  } else {
    steps.push({
      rule: provisions.startOfDay,
      date: calendarDateOf(event),
      text: `Der Beginn des Tages ist maßgebend; er zählt mit. Die Frist beginnt am ${germanDate(event)}${basis}.`,
    })
  }
  const isInDays = period.unit === 'day'
  const corresponds = {
    day: 'ihres letzten Tages',
    week: `des Tages der letzten Woche, der ${start === 'after_event' ? 'durch seine Benennung dem Tag des Ereignisses entspricht' : 'dem Wochentag des Anfangstags vorhergeht'}`,
    month: `des Tages, der ${start === 'after_event' ? 'durch seine Zahl dem Tag des Ereignisses entspricht' : 'dem Tag vorhergeht, der durch seine Zahl dem Anfangstag entspricht'}`,
    year: `des Tages, der ${start === 'after_event' ? 'durch seine Zahl dem Tag des Ereignisses entspricht' : 'dem Tag vorhergeht, der durch seine Zahl dem Anfangstag entspricht'}`,
  }[period.unit]
  steps.push({
    rule: isInDays ? provisions.days : provisions.weeksAndMonths,
    date: calendarDateOf(end.day),
    text: `Die Frist von ${germanPeriod(period)} endet mit Ablauf ${corresponds}: ${
      end.missingDay ? `dem ${end.missingDay}.` : `${germanDate(end.day)}.`
    }`,
  })
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
 * Counted backwards, the rules apply correspondingly: the whole period lies before the event, and the act must be
 * done before the period begins.
 */
function endBackward({ event, period, start, provisions }: Request): CountedEnd {
  const lastDay = start === 'after_event' ? event - 1 : event
  const first = firstDayBackward(lastDay + 1, period)
  const calculated = first.day - 1
  const isInDays = period.unit === 'day'
  const basis = basisOf(provisions)
  const reach = first.missingDay
    ? `Die volle Frist von ${germanPeriod(period)} reichte bis zum ${first.missingDay} zurück. Diesen Tag gibt es nicht; sie reicht bis zum letzten Tag dieses Monats: ${germanDate(first.day)}.`
    : `Die volle Frist von ${germanPeriod(period)} reicht bis ${germanDate(first.day)} zurück.`
  return {
    calculated,
    steps: [
      {
        rule: start === 'after_event' ? provisions.afterEvent : provisions.startOfDay,
        date: calendarDateOf(lastDay),
        text:
          start === 'after_event'
            ? `Rückwärts gerechnet (entsprechende Anwendung) zählt der Tag des Ereignisses (${germanDate(event)}) nicht mit; der letzte Tag der Frist ist ${germanDate(lastDay)}${basis}.`
            : `Rückwärts gerechnet (entsprechende Anwendung) zählt der Tag selbst mit; der letzte Tag der Frist ist ${germanDate(lastDay)}${basis}.`,
      },
      {
        rule: first.missingDay
          ? provisions.missingDay
          : isInDays
            ? provisions.days
            : provisions.weeksAndMonths,
        date: calendarDateOf(first.day),
        text: reach,
      },
      {
        rule: isInDays ? provisions.days : provisions.weeksAndMonths,
        date: calendarDateOf(calculated),
        text: `Die Handlung muss vor Beginn der vollen Frist vorgenommen sein, spätestens am ${germanDate(calculated)}.`,
      },
    ],
  }
}

function basisOf({ through }: LawProvisions): string {
  return through ? ` (anwendbar nach ${through})` : ''
}

/** A day found by its number in a month; `missingDay` names the one that the month lacks. */
type FoundDay = { day: number; missingDay?: string }

/** § 188 Abs. 1 to 3 BGB. */
function forwardEnd(event: number, { unit, count }: Period, start: Start): FoundDay {
  const inclusive = start === 'start_of_day' ? 1 : 0
  if (unit === 'day') return { day: event + count - inclusive }
  if (unit === 'week') return { day: event + 7 * count - inclusive }

  const [year, month, day] = numbersOf(event)
  const months = unit === 'month' ? count : 12 * count
  return dayOfMonth(year, month + months, day - inclusive)
}

/** The mirror image: the first day of the whole period that ends with the day before `end`. */
function firstDayBackward(end: number, { unit, count }: Period): FoundDay {
  if (unit === 'day') return { day: end - count }
  if (unit === 'week') return { day: end - 7 * count }

  const [year, month, day] = numbersOf(end)
  const months = unit === 'month' ? count : 12 * count
  return dayOfMonth(year, month - months, day)
}

/** Day 0 is the last one of the month before; a day after the last is that last one. Months count on across years. */
function dayOfMonth(year: number, monthCount: number, day: number): FoundDay {
  const [ofYear, month] = numbersOf(dayNumber(year, monthCount, 1))
  const last = daysInMonth(ofYear, month)
  if (day <= last) return { day: dayNumber(ofYear, month, day) }
  return {
    day: dayNumber(ofYear, month, last),
    missingDay: `${day}.${String(month).padStart(2, '0')}.${ofYear}`,
  }
}

function numbersOf(day: number): [year: number, month: number, day: number] {
  const date = calendarDateOf(day)
  return [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10))]
}

/** The day itself or, from a day off, the nearest working day in the direction; `skipped` are the days off. */
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

function shiftStep({
  calculated,
  due,
  skipped,
  direction,
  place,
  provisions,
}: {
  calculated: number
  due: number
  skipped: number[]
  direction: Direction
  place: Place
  provisions: LawProvisions
}): CalculationStep {
  const rule = provisions.shift
  const date = calendarDateOf(due)
  if (skipped.length === 0) {
    return {
      rule,
      date,
      text: `${germanDate(calculated)} ist in ${lands[place.region].name} kein Samstag, Sonntag oder gesetzlicher Feiertag; es bleibt bei diesem Tag.`,
    }
  }
  const daysOff = skipped.map((day) => dayOffWithSource(day, place)).join('; ')
  if (direction === 'forward') {
    return {
      rule,
      date,
      text: `Das Ende fällt in ${lands[place.region].name} nicht auf einen Werktag: ${daysOff}. Die Frist endet mit Ablauf des nächsten Werktags: ${germanDate(due)}.`,
    }
  }
  return {
    rule,
    date,
    text: `Der Tag ist in ${lands[place.region].name} kein Werktag: ${daysOff}. Eine rückwärts laufende Frist verlängert sich dadurch nicht; zu handeln ist am vorhergehenden Werktag: ${germanDate(due)}.`,
  }
}

function dayOff(day: number, place: Place): string {
  const holiday = holidayOn(calendarDateOf(day), place)
  return holiday ? `${holiday.name} (${germanDate(day)})` : germanDate(day)
}

function dayOffWithSource(day: number, place: Place): string {
  const holiday = holidayOn(calendarDateOf(day), place)
  return holiday ? `${holiday.name} (${germanDate(day)}; ${holiday.source})` : germanDate(day)
}

function warningsOf({
  input,
  preset,
  direction,
  due,
  skipped,
}: {
  input: CalculationInput
  preset: Preset | undefined
  direction: Direction
  due: number
  skipped: number[]
}): string[] {
  const date = calendarDateOf(due)
  const year = Number(date.slice(0, 4))
  const warnings: string[] = []

  if (preset?.since && input.event_date < preset.since.date) warnings.push(preset.since.text)
  if (preset?.notfrist) {
    warnings.push(
      'Notfrist: Sie kann weder verlängert noch verkürzt werden (§ 224 Abs. 1, 2 ZPO); nach ihrem Ablauf hilft nur die Wiedereinsetzung (§ 233 ZPO).',
    )
  } else if (preset && !preset.extendable && direction === 'forward' && preset.posting !== 'fiction') {
    warnings.push('Das Gericht kann diese Frist nicht verlängern.')
  }
  if (preset?.posting === 'event') {
    warnings.push(
      'Ein mit einfachem Brief im Inland übermittelter Bescheid gilt am vierten Tag nach der Aufgabe zur Post als bekannt gegeben, bei Aufgabe vor dem 01.01.2025 am dritten (§ 41 Abs. 2 VwVfG, § 37 Abs. 2 SGB X, § 122 Abs. 2 AO). Landesrecht kann abweichen. Als Ereignis ist dieser Tag anzugeben, bei förmlicher Zustellung deren Tag.',
    )
  }
  if (skipped.some((day) => holidayOn(calendarDateOf(day), input)?.regional)) {
    warnings.push(
      `Die Verschiebung beruht auf einem Feiertag, der nicht in allen Ländern gilt. Maßgebend ist der Ort, an dem die Frist zu wahren ist, also der Sitz des Gerichts oder der Behörde und nicht der Kanzlei (BAG, 24.08.2011 – 8 AZN 808/11); gerechnet ist mit ${lands[input.region].name}.`,
    )
  }
  const partial = partialHolidayOn(date, input)
  if (partial && !isDayOff(date, input)) {
    warnings.push(
      `${partial.name} ist nur ${partial.where} gesetzlicher Feiertag (${partial.source}). Hier ist der Tag als Werktag gerechnet; ${
        direction === 'forward'
          ? 'an einem solchen Ort endet die Frist erst am nächsten Werktag.'
          : 'an einem solchen Ort ist schon am vorhergehenden Werktag zu handeln.'
      }`,
    )
  }
  if (date.endsWith('-12-24') || date.endsWith('-12-31')) {
    warnings.push(
      'Heiligabend und Silvester sind keine gesetzlichen Feiertage: Die Frist läuft an diesem Tag ab, auch wenn Gericht und Behörde geschlossen sind (OLG Frankfurt, 17.03.2022 – 5 UF 184/21).',
    )
  }
  if (direction === 'backward' && skipped.length > 0) {
    warnings.push(
      'Für Kündigungsfristen und andere Mindestfristen zum Schutz des Gegners gilt § 193 BGB nicht (BGH, 17.02.2005 – III ZR 172/04); der vorverlegte Tag ist der sichere.',
    )
  }
  if (year < holidayYears.first || year > holidayYears.last) {
    warnings.push(
      `Die Feiertage sind für die Jahre ${holidayYears.first} bis ${holidayYears.last} hinterlegt; für ${year} ist das Recht am näheren Ende dieses Zeitraums fortgeschrieben und zu prüfen.`,
    )
  }
  return warnings
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
