import { type CalendarDate, calendarDateOf, dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import type { Place } from '#german-time/holidays.ts'
import { workingDay } from './day-off.ts'

/**
 * The laws by which a letter from an authority or court counts as received some days after posting, whenever it really
 * came. In tax law a day off moves that day to the next working day; in the other laws it does not.
 */
export const deliveries = {
  vwvfg: {
    statute: '§ 41 Abs. 2 VwVfG',
    fieldOfLaw: 'im Verwaltungsrecht',
    shift: null,
    source: 'OVG Lüneburg – 7 PA 184/06',
  },
  vwzg: {
    statute: '§ 4 Abs. 2 VwZG',
    fieldOfLaw: 'im Verwaltungsrecht',
    shift: null,
    source: 'wie § 41 Abs. 2 VwVfG, OVG Lüneburg – 7 PA 184/06',
  },
  sgbx: {
    statute: '§ 37 Abs. 2 SGB X',
    fieldOfLaw: 'im Sozialrecht',
    shift: null,
    source: 'BSG, 06.05.2010 – B 14 AS 12/09 R',
  },
  ao: {
    statute: '§ 122 Abs. 2 Nr. 1 AO',
    fieldOfLaw: 'im Steuerrecht',
    shift: '§ 108 Abs. 3 AO',
    source: 'BFH, 14.10.2003 – IX R 68/98',
  },
  famfg: {
    statute: '§ 15 Abs. 2 FamFG',
    fieldOfLaw: 'in Familiensachen',
    shift: null,
    source: 'wie § 41 Abs. 2 VwVfG',
  },
} as const satisfies Record<string, Delivery>

export type DeliveryLaw = keyof typeof deliveries

export const deliveryLaws = Object.keys(deliveries) as [DeliveryLaw, ...DeliveryLaw[]]

export type Delivery = {
  statute: string
  /** The field of law, in German: `im Sozialrecht`. */
  fieldOfLaw: string
  /** The provision that moves the day from a day off; null if there is none. */
  shift: string | null
  source: string
}

/** Since 2025 the fourth day after posting counts; before, it was the third (Postrechtsmodernisierungsgesetz). */
const fourthDaySince = '2025-01-01'

/** The day on which a letter counts as received, with the steps that lead to it. */
export function presumedDelivery(
  posted_on: CalendarDate,
  law: DeliveryLaw,
  place: Place,
): { day: number; steps: { rule: string; date: CalendarDate; text: string }[] } {
  const { statute, shift, source } = deliveries[law]
  const days = posted_on < fourthDaySince ? 3 : 4
  const counted = dayNumberOf(posted_on) + days
  const { due: workday, skipped } = workingDay(counted, 'forward', place)
  const day = shift === null ? counted : workday
  const ordinal = days === 4 ? 'vierten' : 'dritten'
  const kept =
    shift === null && skipped.length > 0
      ? `; eine Verschiebung auf den nächsten Werktag findet nicht statt (${source})`
      : ''
  const moved = {
    rule: shift ?? statute,
    date: calendarDateOf(day),
    text: `Dieser Tag ist kein Werktag; als Tag der Bekanntgabe gilt der nächste Werktag: ${germanDate(day)}.`,
  }
  return {
    day,
    steps: [
      {
        rule: statute,
        date: calendarDateOf(counted),
        text: `Zur Post gegeben am ${germanDate(dayNumberOf(posted_on))}; als bekannt gegeben gilt die Entscheidung am ${ordinal} Tag danach, ${germanDate(counted)}${kept}.`,
      },
      ...(day === counted ? [] : [moved]),
    ],
  }
}
