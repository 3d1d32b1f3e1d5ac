import { calendarDateOf, germanDate } from '#german-time/calendar-date.ts'
import type { Place } from '#german-time/holidays.ts'
import { type CalculationStep, countForward, germanPeriod, type Terms } from './counting.ts'
import { type DayPeriod, lastDayForward } from './period.ts'

/** The dates from which absolute ends run: pronouncement, end of the missed period, announcement. */
export const absoluteFields = ['pronounced_on', 'missed_on', 'announced_on'] as const
export type AbsoluteField = (typeof absoluteFields)[number]

/**
 * An end that comes even if nothing was served. `start`: the period begins then at the latest (five months after
 * pronouncement, § 517 ZPO). `end`: after it the act is too late (six months, § 544 Abs. 3 ZPO).
 */
export type Absolute = { field: AbsoluteField; period: DayPeriod; statute: string; kind: 'start' | 'end' }

/**
 * The absolute end of a period. A day off does not move it. The five months of §§ 517, 520 ZPO and § 66 ArbGG only
 * begin the period (Haufe, ArbGG § 66 Rz 30), which is then counted and moved like every other. No law says that the
 * other absolute ends move, so the earlier day is the safe one.
 */
export function absoluteEnd(
  since: number,
  { period, statute, kind }: Absolute,
  terms: Terms,
  place: Place,
): {
  begins?: { calculated: number; steps: CalculationStep[] }
  ends?: { day: number; steps: CalculationStep[] }
} {
  const { day } = lastDayForward(since, period, 'after_event')
  const step = (text: string): CalculationStep => ({ rule: statute, date: calendarDateOf(day), text })
  if (kind === 'end') {
    return {
      ends: {
        day,
        steps: [
          step(
            `Unabhängig davon endet die Frist mit Ablauf von ${germanPeriod(period)} nach dem ${germanDate(since)}: ${germanDate(day)}; ein arbeitsfreier Tag verschiebt dieses Ende nicht.`,
          ),
        ],
      },
    }
  }
  const counted = countForward(day, terms, place)
  return {
    begins: {
      calculated: counted.calculated,
      steps: [
        step(
          `Spätestens mit Ablauf von ${germanPeriod(period)} nach dem ${germanDate(since)} beginnt die Frist, also mit Ablauf von ${germanDate(day)}; ein arbeitsfreier Tag verschiebt diesen Beginn nicht.`,
        ),
        ...counted.steps,
      ],
    },
  }
}
