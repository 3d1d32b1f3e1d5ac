import { type Decimal, decimal } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { notByValue, type Vv, vvFees } from './vv.ts'

/**
 * The fee of a number and the rate with which it is charged: the given one, or the usual one.
 *
 * @param place where it stands in the body
 * @param raisedBy how far a rate may be above the range, if several clients raised it (Nr. 1008 VV RVG)
 * @throws Failure VALIDATION_ERROR for an unknown number, or a rate outside its range
 */
export function rateOf(
  { vv, rate }: { vv: string; rate?: string | null | undefined },
  place: string,
  raisedBy: '0' | '2' = '0',
): { vv: string; found: Vv; rate: Decimal } {
  const found = Object.hasOwn(vvFees, vv) ? vvFees[vv] : undefined
  if (found === undefined) throw refusal(place, 'vv', unknown(vv))
  const { rates } = found
  if (typeof rates === 'string') {
    const fixed = decimal(rates)
    if (rate && (decimal(rate).lt(fixed) || decimal(rate).gt(fixed.plus(raisedBy))))
      throw refusal(place, 'rate', `Nr. ${vv} VV RVG has the rate ${rates} (§ 2 Abs. 2 RVG, Anlage 1).`)
    return { vv, found, rate: decimal(rate ?? rates) }
  }
  const { least, most, usual, provision } = rates
  const within = `Nr. ${vv} VV RVG: from ${least} to ${most} (${provision}).`
  const given = rate ?? usual
  if (given === undefined) throw refusal(place, 'rate', `This is required. ${within}`)
  if (decimal(given).lt(least) || decimal(given).gt(decimal(most).plus(raisedBy)))
    throw refusal(place, 'rate', within)
  return { vv, found, rate: decimal(given) }
}

function unknown(vv: string): string {
  if (notByValue.has(vv))
    return `Nr. ${vv} VV RVG is not a fee by value (§ 3 RVG): only those are calculated.`
  if (vv === '1008') return 'Nr. 1008 VV RVG raises other fees: send `clients`.'
  if (vv.startsWith('7')) return `Nr. ${vv} VV RVG is an expense: send it in \`expenses\`.`
  return `Nr. ${vv} VV RVG is not known here.`
}

function refusal(place: string, field: string, message: string) {
  return invalidAt(`${place}.${field}`, message)
}
