import { decimal, germanDecimal, money, rounded, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { least, type ReckonedFee } from './reckoned-fee.ts'
import type { RvgFeeInput } from './rvg-schema.ts'

/** Percent of the parts of the amount, each up to its end (Nr. 1009 VV RVG). */
const parts = [
  { from: 0, to: 2_500, percent: '1' },
  { from: 2_500, to: 10_000, percent: '0.5' },
  { from: 10_000, to: undefined, percent: '0.25' },
] as const
const leastPayoutFee = '1.00'

/**
 * The Hebegebühr for one amount that was paid out (`value`). Each payout has its own fee (Anm. Abs. 3).
 *
 * @throws Failure VALIDATION_ERROR without a value, or with a rate or clients
 */
export function payoutFee(fee: RvgFeeInput, at: number, place: string): ReckonedFee {
  if (!fee.value)
    throw invalidAt(`${place}.value`, 'This is required for Nr. 1009 VV RVG: the amount paid out.')
  for (const field of ['rate', 'clients'] as const)
    if (fee[field]) throw invalidAt(`${place}.${field}`, 'Nr. 1009 VV RVG does not take this.')
  const value = decimal(fee.value)
  const shares = parts
    .filter(({ from }) => value.gt(from))
    .map(({ from, to, percent }) => ({ percent, part: (to ? least(value, decimal(to)) : value).minus(from) }))
  const exact = rounded(sumOf(shares.map(({ part, percent }) => part.times(percent).div(100))), 2)
  const amount = exact.lt(leastPayoutFee) ? decimal(leastPayoutFee) : exact
  const sum = shares.map(
    ({ part, percent }) => `${germanDecimal(percent)} % von ${germanDecimal(money(part))} €`,
  )
  const raised = amount.eq(exact) ? '' : `, mindestens ${germanDecimal(leastPayoutFee)} €`
  return {
    at,
    vv: '1009',
    kind: undefined,
    value,
    rate: decimal(0),
    amount,
    line: {
      vv: '1009',
      number: 'Nr. 1009 VV RVG',
      name: 'Hebegebühr',
      value: money(value),
      rate: null,
      amount: money(amount),
      rule: `${sum.join(' + ')}${raised}.`,
      table: null,
      checked_until: null,
    },
  }
}
