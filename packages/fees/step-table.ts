import { germanDay } from '#german-time/calendar-date.ts'
import { type Decimal, decimal, rounded } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'

/** A table of fees by value, as a law prints it (V7). */
export type StepTable = {
  law: 'RVG' | 'GKG' | 'FamGKG'
  /** The provision that says how a fee follows from the table. */
  provision: string
  /** The first day of this version. */
  valid_from: string
  source: string
  /** The date of the statute text that every figure was compared with. */
  checked_until: string
  /** The fee of rate 1.0 up to each value. */
  steps: readonly (readonly [value: number, fee: string])[]
  /** Above the last step: an amount for each started `per`, or one fee for every value. */
  beyond: { per: number; amount: string } | { flat: string }
}

/**
 * The version of a table on a day. The newest version is first.
 *
 * @param place where the day stands in the body
 * @throws Failure VALIDATION_ERROR before the first version
 */
export function versionOn<Version extends { valid_from: string }>(
  versions: readonly Version[],
  day: string,
  place: string,
): Version {
  const version = versions.find(({ valid_from }) => valid_from <= day)
  if (version === undefined) throw invalidAt(place, `The tables begin on ${versions.at(-1)?.valid_from}.`)
  return version
}

/** The fee of rate 1.0 for a value. */
export function fullFee({ steps, beyond }: StepTable, value: Decimal): Decimal {
  const step = steps.find(([upTo]) => value.lte(upTo))
  if (step !== undefined) return decimal(step[1])
  if ('flat' in beyond) return decimal(beyond.flat)
  const [last, fee] = steps.at(-1) as (typeof steps)[number]
  return decimal(fee).plus(startedSteps(value.minus(last), beyond.per).times(beyond.amount))
}

function startedSteps(excess: Decimal, per: number): Decimal {
  const steps = excess.div(per)
  const whole = steps.round(0, 0)
  return steps.gt(whole) ? whole.plus(1) : whole
}

/** No fee is lower than this (§ 13 Abs. 3 RVG, § 34 Abs. 2 GKG, § 28 Abs. 2 FamGKG). */
export const leastFee = '15.00'

/** A fee: the fee of rate 1.0 × rate, rounded half up to the cent, at least 15 EUR. */
export function feeOf(table: StepTable, value: Decimal, rate: Decimal): Decimal {
  const fee = rounded(fullFee(table, value).times(rate), 2)
  return fee.lt(leastFee) ? decimal(leastFee) : fee
}

/** A version of a table as a line names it: `RVG ab 01.06.2025`, and the day until which it was checked. */
export function shownVersion(table: Pick<StepTable, 'valid_from' | 'checked_until'> & { law: string }) {
  const { law, valid_from, checked_until } = table
  return { table: `${law} ab ${germanDay(valid_from)}`, checked_until }
}
