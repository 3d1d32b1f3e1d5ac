import { type Decimal, decimal } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { shownRate } from './reckoned-fee.ts'
import { notByValue, type Range, type RateOfOther, ratesOf, type Vv, vvFees } from './vv.ts'

/**
 * The fee of a number and the rate with which it is charged: the given one, or the usual one.
 *
 * @param place where it stands in the body
 * @throws Failure VALIDATION_ERROR for an unknown number, or a rate that the number cannot have
 */
export function rateOf(
  { vv, rate }: { vv: string; rate?: string | null | undefined },
  place: string,
): { found: Vv; rate: Decimal } {
  const found = feeOfNumber(vv, place)
  const charged = rate ?? usualOf(found)
  if (charged === undefined) throw invalidAt(`${place}.rate`, `This is required. ${allowed(vv, found)}`)
  if (!mayBe(found, decimal(charged))) throw invalidAt(`${place}.rate`, allowed(vv, found))
  return { found, rate: decimal(charged) }
}

/** The same for a fee that arose before: several clients may have raised it (Nr. 1008 VV RVG). */
export function arisenRateOf(
  { vv, rate }: { vv: string; rate: string },
  place: string,
): { found: Vv; rate: Decimal } {
  const found = feeOfNumber(vv, place)
  const arisen = decimal(rate)
  if (!raises.some((raise) => (found.raised || raise === '0') && mayBe(found, arisen.minus(raise))))
    throw invalidAt(`${place}.rate`, allowed(vv, found))
  return { found, rate: arisen }
}

function feeOfNumber(vv: string, place: string): Vv {
  const found = Object.hasOwn(vvFees, vv) ? vvFees[vv] : undefined
  if (found === undefined) throw invalidAt(`${place}.vv`, unknown(vv))
  return found
}

/** By how much several clients can raise a rate: 0.3 for each further one, at most 2.0. */
const raises = ['0', '0.3', '0.6', '0.9', '1.2', '1.5', '1.8', '2.0']

function usualOf({ rates }: Vv): string | undefined {
  if (typeof rates === 'string') return rates
  return isRange(rates) ? rates.usual : undefined
}

function mayBe({ rates }: Vv, rate: Decimal): boolean {
  if (typeof rates === 'string') return rate.eq(rates)
  if (isRange(rates)) return rate.gte(rates.least) && rate.lte(rates.most)
  return ratesOf(rates).some((one) => one.eq(rate))
}

function isRange(rates: Range | RateOfOther): rates is Range {
  return 'least' in rates
}

/** The rates that a fee may have, with the provision. */
function allowed(vv: string, { rates }: Vv): string {
  if (typeof rates === 'string') return `Nr. ${vv} VV RVG has the rate ${rates} (§ 2 Abs. 2 RVG, Anlage 1).`
  if (isRange(rates)) return `Nr. ${vv} VV RVG: from ${rates.least} to ${rates.most} (${rates.provision}).`
  const share = rates.shares.length > 1 ? ' or half of it' : rates.shares[0] === '0.5' ? ', halved' : ''
  const most = rates.most ? `, at most ${rates.most}` : ''
  return `Nr. ${vv} VV RVG: the rate of the ${rates.of} of the case${share}${most}: ${ratesOf(rates).map(shownRate).join(', ')} (${rates.provision}).`
}

function unknown(vv: string): string {
  if (notByValue.has(vv))
    return `Nr. ${vv} VV RVG is not a fee by value (§ 3 RVG): only those are calculated.`
  if (vv === '1008') return 'Nr. 1008 VV RVG raises other fees: send `clients`.'
  if (vv.startsWith('7')) return `Nr. ${vv} VV RVG is an expense: send it in \`expenses\`.`
  return `Nr. ${vv} VV RVG is not known here.`
}
