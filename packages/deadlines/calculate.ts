import { type CalendarDate, calendarDateOf, dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import type { Place } from '#german-time/holidays.ts'
import { endOfLocalDay, localDateOf, withOffset } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { type AbsoluteField, absoluteEnd } from './absolute.ts'
import { beginningOf } from './begins.ts'
import { type CalculationStep, countBackward, countForward, type Terms } from './counting.ts'
import { type FederalCourt, placeName, type RegionSource } from './courts.ts'
import { germanDayOff, workingDay } from './day-off.ts'
import { presumedDelivery } from './delivery.ts'
import { endOfHours } from './hours.ts'
import { laws } from './laws.ts'
import type { Direction, Period, Start } from './period.ts'
import type { Preset } from './preset.ts'
import { type PresetKey, presetOf } from './presets.ts'
import { warningsOf } from './warnings.ts'

/**
 * When a period ends, and why: §§ 187 to 193 BGB, § 222 ZPO and the matching rules of other procedures (F10, F19).
 *
 * If the end falls on a day off, a forward period ends on the next working day and a backward period on the previous
 * one; with `shift` `none` neither moves. A day off does not move the start; it moves only the presumed delivery in tax
 * law. 24 and 31 December are no holidays. A backward period lies completely before the event: the act is in time until
 * the day before its first day, and this is `calculated_date`. If the input has the date from which the preset's
 * absolute end runs, the earlier of the two ends counts.
 *
 * A pure function with an answer for every input that `CalculationBody` accepts. Dates have no time zone; only
 * `due_at` has one.
 */
export function calculate(input: CalculationInput): Calculation {
  const terms = termsOf(input)
  if (terms.period.unit === 'hour') return calculateHours(input, terms)
  const { preset, direction, law } = terms
  const event = eventOf(input, preset)
  const ends: End[] = []
  if (event !== undefined) {
    const counted =
      direction === 'forward' ? countForward(event.day, terms, input) : countBackward(event.day, terms, input)
    ends.push(ended([...event.steps, ...counted.steps], counted.calculated, terms, input))
  }
  const absolute = preset?.absolute
  const since = absolute && input[absolute.field]
  if (absolute && since) {
    const { begins, ends: last } = absoluteEnd(dayNumberOf(since), absolute, terms, input)
    if (begins) ends.push(ended(begins.steps, begins.calculated, terms, input))
    if (last) ends.push({ due: last.day, calculated: last.day, skipped: [], steps: last.steps })
  }
  const decisive = ends.reduce((one, other) => (other.due < one.due ? other : one))
  const others = ends.filter((end) => end !== decisive)
  const isAbsolute = since !== undefined && decisive === ends.at(-1)
  const due_date = calendarDateOf(decisive.due)
  const court = input.region_source === 'court' ? preset?.court : undefined
  return {
    due_date,
    due_at: endOfLocalDay(due_date, input.time_zone),
    calculated_date: calendarDateOf(decisive.calculated),
    shifted: decisive.due !== decisive.calculated,
    shift_reason:
      decisive.skipped.length > 0 ? decisive.skipped.map((day) => germanDayOff(day, input)).join('; ') : null,
    region: input.region,
    region_source: input.region_source,
    delivered_on: input.posted_on && event ? calendarDateOf(event.day) : null,
    absolute:
      absolute && since
        ? {
            statute: absolute.statute,
            due_date: calendarDateOf((ends.at(-1) as End).due),
            decisive: isAbsolute,
          }
        : null,
    steps: [
      ...others.flatMap(({ steps }) => steps),
      ...(others.length > 0
        ? [
            {
              rule: absolute?.statute ?? laws[law].shift,
              date: due_date,
              text: 'Maßgebend ist das frühere der beiden Enden:',
            },
          ]
        : []),
      ...decisive.steps,
    ],
    warnings: warningsOf({
      event_date: calendarDateOf(event?.day ?? dayNumberOf(since as string)),
      place: input,
      court,
      workspaceRegion: input.workspace_region,
      preset,
      direction,
      due: decisive.due,
      skipped: decisive.skipped,
      wasPosted: input.posted_on !== undefined,
      isLastEnd: isAbsolute && absolute?.kind === 'end',
      isAbsoluteAlone: event === undefined,
      dayEndsIn: input.time_zone,
    }),
  }
}

/**
 * The place is where the act is due (the seat of the court), and `region_source` says where it comes from.
 * `workspace_region` is where the firm is. `time_zone` is an IANA name. The period is counted from one of these:
 * `event_date`, `posted_on` with a preset that presumes delivery, `event_at` with a period of hours, or only the date
 * of the absolute end.
 */
export type CalculationInput = Place &
  PeriodChoice & {
    event_date?: CalendarDate | undefined
    /** When the letter was posted. */
    posted_on?: CalendarDate | undefined
    /** When the hours begin, UTC. */
    event_at?: string | undefined
    shift?: Shift | undefined
    time_zone: string
    region_source: RegionSource
    workspace_region?: Region
  } & { [Field in AbsoluteField]?: CalendarDate | undefined }

/** `none`: the end stays on a day off, like the end of a notice period (BGH, 17.02.2005 – III ZR 172/04). */
export const shifts = ['auto', 'none'] as const
type Shift = (typeof shifts)[number]

/** A preset, or a period with its start (default `after_event`) and direction (default `forward`). */
export type PeriodChoice =
  | { preset: PresetKey }
  | { preset?: undefined; period: Period; start?: Start | undefined; direction?: Direction | undefined }

type Calculation = {
  due_date: CalendarDate
  /** 23:59:59 of `due_date` in the time zone, or the last moment of a period of hours; ISO 8601 with offset. */
  due_at: string
  /** The end before it moves from a day off. */
  calculated_date: CalendarDate
  shifted: boolean
  /** The days off that the end moved over, in German. */
  shift_reason: string | null
  /** The Land whose holidays were counted, and the source of that choice. */
  region: Region
  region_source: RegionSource
  /** When the posted letter counts as received. */
  delivered_on: CalendarDate | null
  /** The absolute end, if the date from which it runs was given, and whether it is the earlier one. */
  absolute: { statute: string; due_date: CalendarDate; decisive: boolean } | null
  steps: CalculationStep[]
  /** German sentences, most urgent first. */
  warnings: string[]
}

type End = { due: number; calculated: number; skipped: number[]; steps: CalculationStep[] }

/** The terms for the calculation: from the preset, or as given. */
export function termsOf(
  input: PeriodChoice & { event_date?: CalendarDate | undefined; shift?: Shift | undefined },
): Terms & { preset?: Preset } {
  if (input.preset === undefined) {
    const { period, start = 'after_event', direction = 'forward', shift = 'auto' } = input
    return { period, start, direction, law: 'general', shift }
  }
  const preset = presetOf(input.preset)
  const { start, direction, law, since } = preset
  const earlier = since && input.event_date !== undefined && input.event_date < since.date
  const period = (earlier && since.period) || preset.period
  return { preset, period, start, direction, law, shift: preset.shift ?? input.shift ?? 'auto' }
}

/** The day from which the period is counted, with the steps from the given date to this day. */
function eventOf(
  { event_date, posted_on, ...place }: CalculationInput,
  preset: Preset | undefined,
): { day: number; steps: CalculationStep[] } | undefined {
  if (posted_on !== undefined && preset?.delivery) return presumedDelivery(posted_on, preset.delivery, place)
  if (event_date === undefined) return undefined
  const given = dayNumberOf(event_date)
  if (preset?.begins === undefined) return { day: given, steps: [] }
  const { day, step } = beginningOf(given, preset.begins)
  return { day, steps: [step] }
}

/** The end of a counted period. A day off moves it, unless `shift` is `none`. */
function ended(
  steps: CalculationStep[],
  calculated: number,
  terms: Terms & { preset?: Preset },
  input: CalculationInput,
): End {
  const { direction, law, shift, preset } = terms
  const court = input.region_source === 'court' ? preset?.court : undefined
  const { due, skipped } =
    shift === 'none' ? { due: calculated, skipped: [] } : workingDay(calculated, direction, input)
  const text =
    shift === 'none'
      ? `Es bleibt beim berechneten Tag: ${germanDate(due)}. Er verschiebt sich auch dann nicht, wenn er arbeitsfrei ist.`
      : shiftText({ due, skipped, direction, place: input, court }) +
        (preset === undefined && direction === 'forward' && skipped.length > 0 ? exceptForNotice : '')
  return {
    due,
    calculated,
    skipped,
    steps: [...steps, { rule: laws[law].shift, date: calendarDateOf(due), text }],
  }
}

/** Added if the kind of period is not known. */
const exceptForNotice =
  ' Für Kündigungsfristen gilt das nicht (BGH, 17.02.2005 – III ZR 172/04): Sie enden am gerechneten Tag (shift none).'

function calculateHours(
  input: CalculationInput,
  { period, shift, preset, direction }: Terms & { preset?: Preset },
): Calculation {
  const event_at = input.event_at as string
  const zone = { place: input, timeZone: input.time_zone }
  const plain = endOfHours(event_at, period.count, { ...zone, skipsDaysOff: false })
  const { end, skipped } = endOfHours(event_at, period.count, { ...zone, skipsDaysOff: shift !== 'none' })
  const due_date = localDateOf(new Date(end), input.time_zone)
  const due = dayNumberOf(due_date)
  const moment = (at: string) => withOffset(new Date(at), input.time_zone)
  const german = (at: string) =>
    `${germanDate(dayNumberOf(moment(at).slice(0, 10)))}, ${moment(at).slice(11, 16)} Uhr`
  const notCounted = skipped.map((day) => germanDayOff(day, input)).join('; ')
  return {
    due_date,
    due_at: moment(end),
    calculated_date: localDateOf(new Date(plain.end), input.time_zone),
    shifted: skipped.length > 0,
    shift_reason: skipped.length > 0 ? notCounted : null,
    region: input.region,
    region_source: input.region_source,
    delivered_on: null,
    absolute: null,
    steps: [
      {
        rule: '§ 222 Abs. 1 ZPO',
        date: localDateOf(new Date(plain.end), input.time_zone),
        text: `Die Frist von ${period.count} ${period.count === 1 ? 'Stunde' : 'Stunden'} beginnt mit dem Ereignis (${german(event_at)}); durchgezählt endet sie am ${german(plain.end)}.`,
      },
      {
        rule: '§ 222 Abs. 3 ZPO',
        date: due_date,
        text:
          skipped.length > 0
            ? `Nicht mitgerechnet werden in ${placeName(input, undefined)}: ${notCounted}. Die Frist endet am ${german(end)}.`
            : `Samstage, Sonntage und Feiertage liegen nicht dazwischen oder zählen mit; die Frist endet am ${german(end)}.`,
      },
    ],
    warnings: warningsOf({
      event_date: localDateOf(new Date(event_at), input.time_zone),
      place: input,
      court: undefined,
      workspaceRegion: input.workspace_region,
      preset,
      direction,
      due,
      skipped,
      wasPosted: false,
      isLastEnd: false,
      isAbsoluteAlone: false,
      dayEndsIn: undefined,
    }),
  }
}

function shiftText(shift: {
  due: number
  skipped: number[]
  direction: Direction
  place: Place
  court: FederalCourt | undefined
}): string {
  const { due, skipped, direction, place, court } = shift
  const land = placeName(place, court)
  if (skipped.length === 0) {
    return `${germanDate(due)} ist in ${land} kein Samstag, Sonntag oder gesetzlicher Feiertag; es bleibt bei diesem Tag.`
  }
  const daysOff = skipped.map((day) => germanDayOff(day, place, { withSource: true })).join('; ')
  return direction === 'forward'
    ? `Das Ende fällt in ${land} nicht auf einen Werktag: ${daysOff}. Die Frist endet mit Ablauf des nächsten Werktags: ${germanDate(due)}.`
    : `Der Tag ist in ${land} kein Werktag: ${daysOff}. Eine rückwärts laufende Frist verlängert sich dadurch nicht; zu handeln ist am vorhergehenden Werktag: ${germanDate(due)}.`
}
