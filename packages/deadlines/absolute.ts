import { calendarDateOf, germanDate } from '#german-time/calendar-date.ts'
import type { Place } from '#german-time/holidays.ts'
import { type CalculationStep, countForward, germanPeriod, type Terms } from './counting.ts'
import { type DayPeriod, lastDayForward } from './period.ts'

/** The dates from which absolute ends run: of pronouncement, of the end of the missed period, of announcement. */
export const absoluteFields = ['pronounced_on', 'missed_on', 'announced_on'] as const
export type AbsoluteField = (typeof absoluteFields)[number]

/**
 * An end that comes whether or not anything was served. `start`: the period begins at the latest then (five months
 * after pronouncement, § 517 ZPO). `end`: the act is too late after it (six months, § 544 Abs. 3 ZPO).
 */
export type Absolute = { field: AbsoluteField; period: DayPeriod; statute: string; kind: 'start' | 'end' }

/**
 * The absolute end of a period. No day off moves it: the five months of §§ 517, 520 ZPO and § 66 ArbGG only begin the
 * period (Haufe, ArbGG § 66 Rz 30), and of the others no law says that they move, so that the earlier day is the safe
 * one. The period that then begins is counted, and later moved, like every other.
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
