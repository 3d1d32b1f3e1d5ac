import type { CalendarDate } from '#german-time/calendar-date.ts'
import type { Absolute, AbsoluteField } from './absolute.ts'
import type { Begins } from './begins.ts'
import type { Category } from './category.ts'
import type { FederalCourt } from './courts.ts'
import type { DeliveryLaw } from './delivery.ts'
import type { Law } from './laws.ts'
import type { DayPeriod, Direction, Start, Unit } from './period.ts'

/** A period that a provision sets, and the event that begins it. Texts are German. */
export type Preset = {
  key: string
  name: string
  area: Area
  /** The event on `event_date`. */
  event: string
  /** The event is always the first day of a month. */
  firstOfMonth?: true
  period: { unit: Exclude<Unit, 'hour'>; count: number }
  start: Start
  direction: Direction
  /** The provision that sets the period. */
  statute: string
  /** The procedure whose rules count it. */
  law: Law
  /** The federal court at which the act is due; its seat decides which holidays count. */
  court?: FederalCourt
  /** The kind of deadline. The register and the feed highlight all kinds except `other` (F13). */
  category: Category
  /** The law calls it a Notfrist (§ 224 Abs. 1 ZPO). Periods of other procedures may be as strict without this name. */
  notfrist: boolean
  /** Whether a court may grant more time on request. */
  extendable: boolean
  /** The rule for extensions: who may grant one, for how long, and whether the opponent must consent. */
  extension?: string
  /** A court may extend it once only. */
  once?: true
  /** The end that comes even if nothing was served. */
  absolute?: Absolute
  /** The law by which a posted decision counts as received (`posted_on`). */
  delivery?: DeliveryLaw
  /** The period begins on another day than `event_date`. */
  begins?: Begins
  /** A period of substantive law: no court extends it, and missing it means losing the right. */
  substantive?: true
  /** The end stays on a day off. */
  shift?: 'none'
  /** The second stage of a remedy. Its period runs from the same service of the decision. */
  related?: string
  note?: string
  /** A possible change of the law since `checked_until`; every calculation shows it as a warning. */
  caution?: string
  /** It calculates the day of a presumed delivery and is not a period for an act. */
  posting?: 'fiction'
  /** The preset applies to events from this date on. For earlier ones, `period` applies and `text` explains the law. */
  since?: { date: CalendarDate; text: string; period?: DayPeriod }
  /** The date of the statute text that this entry was checked against. */
  checked_until: CalendarDate
}

export const areas = ['civil', 'labour', 'administrative', 'social', 'tax', 'criminal'] as const
export type Area = (typeof areas)[number]

/** The values that several entries share. An entry may state another area, law, date or caution. */
type Shared = Pick<Preset, 'area' | 'law' | 'checked_until' | 'caution' | 'substantive'>

type Entry<Key> = Omit<Preset, 'key' | 'extendable' | keyof Shared | keyof typeof defaults> &
  Partial<Shared & Pick<Preset, keyof typeof defaults>> & { key: Key }

/**
 * The default values of an entry. The day of the event does not count (§ 187 Abs. 1 BGB), and only the law makes a period
 * a Notfrist (§ 224 Abs. 1 Satz 2 ZPO).
 */
const defaults = { start: 'after_event', direction: 'forward', notfrist: false } as const

/** The presets of a field of law. A court may extend exactly those with a rule for extensions (§ 224 Abs. 2 ZPO). */
export function presetsOf<const Key extends string>(
  shared: Shared,
  entries: readonly Entry<Key>[],
): (Preset & { key: Key })[] {
  return entries.map((entry) => ({
    ...defaults,
    ...shared,
    extendable: entry.extension !== undefined,
    ...entry,
  }))
}

/** The period begins five months after the pronouncement at the latest. */
export function beginsByFiveMonths(statute: string): Absolute {
  return { field: 'pronounced_on', period: { unit: 'month', count: 5 }, statute, kind: 'start' }
}

/** The period ends a year after this date at the latest. */
export function endsWithinYear(field: AbsoluteField, statute: string): Absolute {
  return { field, period: { unit: 'year', count: 1 }, statute, kind: 'end' }
}
