import { type Decimal, germanDecimal, money, rounded } from '#kernel/decimal.ts'
import type { RvgLine } from './rvg-schema.ts'
import { fullFee, leastFee, type StepTable } from './step-table.ts'

/** A fee that was reckoned, with its place in the body. */
export type ReckonedFee = {
  at: number
  vv: string
  kind: string | undefined
  value: Decimal
  rate: Decimal
  amount: Decimal
  line: RvgLine
}

/** The table of the RVG that counts for a value (§§ 13, 49, 60 RVG). */
export type TableFor = (value: Decimal) => StepTable

/** How a fee follows from its table, in German. `atLeast` is the least amount that it can have. */
export function feeRule(table: StepTable, value: Decimal, rate: Decimal, atLeast = leastFee): string {
  const full = fullFee(table, value)
  const isLeast = rounded(full.times(rate), 2).lt(atLeast)
  return `${germanDecimal(shownRate(rate))} × ${germanDecimal(money(full))} € (Wert ${germanDecimal(money(value))} €, ${table.provision})${isLeast ? `, mindestens ${germanDecimal(atLeast)} €` : ''}.`
}

/** A rate with at least one place: `1.0`. */
export function shownRate(rate: Decimal): string {
  const text = rate.toFixed()
  return text.includes('.') ? text : `${text}.0`
}

/** The lower of two decimals. */
export function least(one: Decimal, other: Decimal): Decimal {
  return one.lt(other) ? one : other
}
