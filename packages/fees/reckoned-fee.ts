import { type Decimal, money } from '#kernel/decimal.ts'
import type { RvgLine } from './rvg-schema.ts'
import { fullFee, german, type StepTable } from './step-table.ts'

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

/** How a fee follows from its table, in German. */
export function feeRule(table: StepTable, value: Decimal, rate: Decimal): string {
  const full = fullFee(table, value)
  const paragraph = { RVG: '§ 13 Abs. 1 RVG', GKG: '§ 34 GKG', FamGKG: '§ 28 FamGKG' }[table.law]
  const law = table.source.startsWith('§ 49') ? '§ 49 RVG' : paragraph
  const isLeast = full.times(rate).lt('14.995')
  return `${german(shownRate(rate))} × ${german(money(full))} € (Wert ${german(money(value))} €, ${law})${isLeast ? ', mindestens 15,00 €' : ''}.`
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
