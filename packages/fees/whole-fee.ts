import { type Decimal, decimal, germanDecimal, money, sumOf } from '#kernel/decimal.ts'
import { feeRule, least, type ReckonedFee, shownRate, type TableFor } from './reckoned-fee.ts'
import type { RvgLine } from './rvg-schema.ts'
import { feeOf, type StepTable, shownVersion } from './step-table.ts'

/** A fee as a whole: parts of one kind at their own values and rates are one fee (§ 15 Abs. 3 RVG). */
export type WholeFee = {
  /** The place of its first part in the body, and the number of that part. */
  at: number
  vv: string
  /** The numbers of all parts: `3100 und 3101`. */
  numbers: string
  /** The sum of the values of its parts. */
  value: Decimal
  /** The sum of its parts. */
  amount: Decimal
  /** The highest rate of its parts, and the fee of that rate on the value: a fee of several parts is at most this. */
  rate: Decimal
  most: Decimal | undefined
  table: StepTable
}

/** @param most the highest value of the matter (§ 22 Abs. 2 RVG) */
export function wholeFees(
  fees: readonly ReckonedFee[],
  { tableFor, most }: { tableFor: TableFor; most: Decimal },
): WholeFee[] {
  return [...Map.groupBy(fees, ({ kind, at }) => kind ?? at).values()].map((parts) => {
    const [{ at, vv, value: only }] = parts as [ReckonedFee]
    const isOne = parts.length === 1
    const value = isOne ? only : least(sumOf(parts.map((part) => part.value)), most)
    const rate = parts.reduce((highest, part) => (part.rate.gt(highest) ? part.rate : highest), decimal(0))
    const table = tableFor(value)
    return {
      at,
      vv,
      numbers: parts.map((part) => part.vv).join(' und '),
      value,
      amount: sumOf(parts.map((part) => part.amount)),
      rate,
      most: isOne ? undefined : feeOf(table, value, rate),
      table,
    }
  })
}

/**
 * Negative lines for fees whose parts are more than the whole may be (§ 15 Abs. 3 RVG).
 *
 * @param creditedOn what is credited on a fee. The credit comes first, and only the rest is limited (OLG Stuttgart,
 *   9.1.2009, 8 W 527/08; OLG München, 7.3.2012, 11 WF 360/12).
 */
export function limitsOf(
  fees: readonly WholeFee[],
  creditedOn: (fee: WholeFee) => Decimal = () => decimal(0),
): RvgLine[] {
  return fees.flatMap((fee) => {
    const { numbers, value, amount, rate, most, table } = fee
    const credited = creditedOn(fee)
    const left = amount.minus(credited)
    if (most === undefined || left.lte(most)) return []
    return [
      {
        vv: null,
        number: '§ 15 Abs. 3 RVG',
        name: `Begrenzung der Gebühren Nr. ${numbers} VV RVG`,
        value: money(value),
        rate: shownRate(rate),
        amount: money(most.minus(left)),
        rule: `${credited.gt(0) ? 'Nach der Anrechnung zusammen' : 'Zusammen'} höchstens ${germanDecimal(money(most))} €: ${feeRule(table, value, rate)}`,
        ...shownVersion(table),
      },
    ]
  })
}
