import { type Decimal, decimal, money, rounded } from '#kernel/decimal.ts'
import { invalid } from '#kernel/failure.ts'
import { rateOf } from './rates.ts'
import { feeRule, least, type ReckonedFee, shownRate, type TableFor } from './reckoned-fee.ts'
import type { RvgInput, RvgLine } from './rvg-schema.ts'
import { feeOf, fullFee, versionName } from './step-table.ts'
import { takesCredit } from './vv.ts'

/**
 * The credits on the Verfahrensgebühr, as negative lines. Half of a Geschäftsgebühr is credited, at a rate of at most
 * 0.75 (Vorbem. 3 Abs. 4 VV RVG) and by the lower of the two values. All credits together are at most the fee (V9).
 *
 * @throws Failure VALIDATION_ERROR for a fee that is not credited, or if there is no Verfahrensgebühr
 */
export function creditsOf(
  fees: readonly ReckonedFee[],
  input: RvgInput,
  { tableFor, path }: { tableFor: TableFor; path: string },
): RvgLine[] {
  let onto: { fee: ReckonedFee; left: Decimal } | undefined
  return input.credited.map((credit, at) => {
    const place = `${path}.credited.${at}`
    const { vv, found, rate: arisen } = rateOf(credit, place, '2')
    if (found.credited === undefined)
      throw invalid('This fee is not credited.', [
        { path: `${place}.vv`, message: `Nr. ${vv} VV RVG is not credited on a Verfahrensgebühr.` },
      ])
    if (onto === undefined) {
      const fee = fees.find((one) => takesCredit(one.vv) && one.vv !== vv)
      if (fee === undefined)
        throw invalid('There is no fee to credit on.', [
          { path: place, message: 'Name a Verfahrensgebühr of Teil 3 in `fees` (Vorbem. 3 Abs. 4 VV RVG).' },
        ])
      onto = { fee, left: fee.amount }
    }
    const { share, provision } = found.credited
    const rate = share === 'whole' ? arisen : least(arisen.div(2), decimal('0.75'))
    const value = least(decimal(credit.value ?? input.value), onto.fee.value)
    const table = tableFor(value)
    const amount = least(creditedAmount(), onto.left)
    onto.left = onto.left.minus(amount)
    const how =
      share === 'whole'
        ? 'In voller Höhe'
        : `Zur Hälfte, höchstens mit 0,75${arisen.gt('1.5') ? ' (begrenzt)' : ''}`
    return {
      vv,
      number: `${provision}, § 15a RVG`,
      name: `Anrechnung der Gebühr Nr. ${vv} VV RVG`,
      value: money(value),
      rate: shownRate(rate),
      amount: money(amount.times(-1)),
      rule: `${how} auf die Gebühr Nr. ${onto.fee.vv} VV RVG, nach dem niedrigeren Wert: ${feeRule(table, value, rate)}`,
      table: versionName(table),
    }

    /** A whole fee is credited as it arose, at least 15 EUR; a half has no least amount. */
    function creditedAmount(): Decimal {
      return share === 'whole' ? feeOf(table, value, rate) : rounded(fullFee(table, value).times(rate), 2)
    }
  })
}
