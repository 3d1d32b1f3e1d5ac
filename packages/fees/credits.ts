import { type Decimal, decimal, germanDecimal, money, rounded, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { arisenRateOf } from './rates.ts'
import { feeRule, least, shownRate, type TableFor } from './reckoned-fee.ts'
import type { CreditInput, RvgInput, RvgLine } from './rvg-schema.ts'
import { fullFee, leastFee, type StepTable, shownVersion } from './step-table.ts'
import { takesCredit, type Credit as VvCredit } from './vv.ts'
import type { WholeFee } from './whole-fee.ts'

/** An earlier fee with the fee that it is credited on. */
type Credit = {
  at: number
  vv: string
  onto: WholeFee
  share: VvCredit['share']
  provision: string
  rate: Decimal
  value: Decimal
  /** If the body names the value, the credit may be for a part of the object beside others. */
  isPart: boolean
  table: StepTable
  amount: Decimal
  limit: string
}

/**
 * The credits of earlier fees, as negative lines, and what they take off a fee (§ 15a RVG).
 *
 * Half of a Geschäftsgebühr is credited, at a rate of at most 0.75 and by the lower of the two values. Of several ones
 * for the same object only the last one counts (Vorbem. 3 Abs. 4 VV RVG). Fees for parts of the object are each
 * credited. Since 2021 their sum is at most the credit of one fee on the sum of their values (§ 15a Abs. 2 RVG); the BGH
 * knew no such limit before. A credit is never above the later fee, which is the sum of its parts (V9).
 *
 * @param tableOn the table for the day of an order
 * @throws Failure VALIDATION_ERROR for a fee that is never credited, that is credited on none of these fees, or that
 *   cannot be credited together with another one
 */
export function creditsOf(
  fees: readonly WholeFee[],
  input: RvgInput,
  context: { tableOn: (day?: string | null) => TableFor; warnings: Set<string>; path: string },
): { lines: RvgLine[]; creditedOn: (fee: WholeFee) => Decimal } {
  const { tableOn, warnings, path } = context
  const named = input.credited.map((credit, at) => {
    return creditOf(credit, at, { fees, input, tableOn, place: `${path}.credited.${at}` })
  })
  const counted = named.filter((credit) => {
    const later = named.slice(credit.at + 1).find((one) => isSameObject(credit, one))
    if (later === undefined) return true
    const place = `${path}.credited.${credit.at}.vv`
    if (credit.share === 'whole' || later.share === 'whole') throw invalidAt(place, chained(credit, later))
    warnings.add(
      `Die Gebühr Nr. ${credit.vv} VV RVG ist nicht angerechnet: Für denselben Gegenstand ist die zuletzt entstandene Gebühr Nr. ${later.vv} maßgebend (Vorbem. 3 Abs. 4 Satz 3 VV RVG).`,
    )
    return false
  })
  for (const credits of Map.groupBy(counted, ({ onto }) => onto.at).values())
    limitSum(credits, input, { tableFor: tableOn(), path })
  for (const { vv, onto, value, isPart } of counted)
    if (!isPart && onto.most)
      warnings.add(
        `Die Gebühr Nr. ${vv} VV RVG ist nach dem Wert von ${germanDecimal(money(value))} € angerechnet: Nennen Sie value, wenn sie nur Teile davon betraf.`,
      )
  return {
    lines: counted.map(lineOf),
    creditedOn: ({ at }) => sumOf(counted.filter(({ onto }) => onto.at === at).map(({ amount }) => amount)),
  }
}

function creditOf(
  credit: CreditInput,
  at: number,
  context: {
    fees: readonly WholeFee[]
    input: RvgInput
    tableOn: (day?: string | null) => TableFor
    place: string
  },
): Credit {
  const { fees, input, tableOn, place } = context
  const { vv } = credit
  const { found, rate: arisen } = arisenRateOf(credit, place)
  if (found.credited === undefined) throw invalidAt(`${place}.vv`, notCredited(vv))
  const { share, onto: numbers, provision } = found.credited
  const [onto] = fees
    .filter((fee) =>
      numbers
        ? numbers.some((number) => fee.numbers.includes(number))
        : takesCredit(fee.vv) || (fee.vv === '2303' && vv !== '2303'),
    )
    .toSorted((one, other) => other.amount.cmp(one.amount))
  if (onto === undefined) {
    const which = numbers ? numbers.join(', ') : 'a Verfahrensgebühr of Teil 3'
    throw invalidAt(
      place,
      `Nr. ${vv} VV RVG is credited on ${which} (${provision}): name that fee in \`fees\`.`,
    )
  }
  const rate = share === 'whole' ? arisen : least(arisen.div(2), decimal('0.75'))
  const value = least(decimal(credit.value ?? input.value), onto.value)
  const table = tableOn(credit.ordered_on)(value)
  return {
    at,
    vv,
    onto,
    share,
    provision: onto.vv === '2303' ? 'Vorbem. 2.3 Abs. 6 VV RVG' : provision,
    rate,
    value,
    isPart: typeof credit.value === 'string',
    table,
    amount: amountOf(share, table, value, rate),
    limit: arisen.gt('1.5') && share === 'half' ? ' (begrenzt)' : '',
  }
}

/** The law credits some fees of these numbers, such as Nr. 3100 of a selbständiges Beweisverfahren. */
function notCredited(vv: string): string {
  const leftOut = /^3[1-5]/.test(vv)
    ? ' Credits by Vorbem. 3 Abs. 5 to 7 VV RVG and by the Anm. to Nr. 3100, 3101 and 3104 are left out: deduct them yourself.'
    : ''
  return `Nr. ${vv} VV RVG is not credited here.${leftOut}`
}

/** The least fee of 15 EUR (§ 13 Abs. 3 RVG) is credited like every other fee: whole, or its half. */
const leastCredit = { whole: leastFee, half: '7.50' } as const

function amountOf(share: Credit['share'], table: StepTable, value: Decimal, rate: Decimal): Decimal {
  const amount = rounded(fullFee(table, value).times(rate), 2)
  return amount.lt(leastCredit[share]) ? decimal(leastCredit[share]) : amount
}

/** Two credits are for the same object, unless both are for parts that together fit into the later fee's value. */
function isSameObject(one: Credit, other: Credit): boolean {
  if (one.onto.at !== other.onto.at) return false
  return !(one.isPart && other.isPart && one.value.plus(other.value).lte(one.onto.value))
}

/**
 * The earlier fee is credited on the later one first, and here only with the rest of its credit. So for one value both
 * take off as much as the higher credit alone: of Nr. 2300 with 1.3 (0.65) and Nr. 3307 (0.5), the former.
 */
function chained(credit: Credit, later: Credit): string {
  const higher = credit.amount.gt(later.amount) ? credit : later
  const alone = credit.value.eq(later.value)
    ? `, or name Nr. ${higher.vv} alone, which takes off as much as both`
    : ''
  return `Nr. ${credit.vv} and Nr. ${later.vv} VV RVG for the same object: the earlier fee is credited when the later one is calculated. Give each the \`value\` of its part${alone}.`
}

/** The days since which § 15a Abs. 2 RVG limits the sum of credits: of halves, and of whole fees too. */
const limitedSince = { half: '2021-01-01', whole: '2025-06-01' } as const

/** Lowers the last credits to what § 15a Abs. 2 RVG allows, and then to the fee that they are credited on. */
function limitSum(
  credits: readonly Credit[],
  { ordered_on }: RvgInput,
  { tableFor, path }: { tableFor: TableFor; path: string },
): void {
  const [{ onto, at } = {}] = credits
  if (onto === undefined) return
  const values = sumOf(credits.map(({ value }) => value))
  if (credits.length > 1 && values.gt(onto.value))
    throw invalidAt(
      `${path}.credited.${at}.value`,
      `The parts are more than the value of Nr. ${onto.numbers} VV RVG, ${money(onto.value)} EUR.`,
    )
  const limited = credits.filter(({ share }) => ordered_on >= limitedSince[share])
  if (limited.length > 1) {
    const value = sumOf(limited.map((one) => one.value))
    const highest = limited.toSorted((one, other) => other.rate.cmp(one.rate))[0] as Credit
    lowerTo(amountOf(highest.share, tableFor(value), value, highest.rate), limited, '§ 15a Abs. 2 RVG')
  }
  lowerTo(onto.amount, credits, `die Gebühr Nr. ${onto.numbers} VV RVG`)
}

function lowerTo(most: Decimal, credits: readonly Credit[], reason: string): void {
  let left = most
  for (const credit of credits) {
    if (credit.amount.gt(left)) {
      credit.amount = left
      credit.limit += `, gekürzt auf ${germanDecimal(money(left))} € (${reason})`
    }
    left = left.minus(credit.amount)
  }
}

function lineOf({ vv, onto, share, provision, rate, value, table, amount, limit }: Credit): RvgLine {
  const how = share === 'whole' ? 'In voller Höhe' : 'Zur Hälfte, höchstens mit 0,75'
  return {
    vv,
    number: `${provision}, § 15a RVG`,
    name: `Anrechnung der Gebühr Nr. ${vv} VV RVG`,
    value: money(value),
    rate: shownRate(rate),
    amount: money(amount.times(-1)),
    rule: `${how}${limit} auf die Gebühr Nr. ${onto.numbers} VV RVG, nach dem niedrigeren Wert: ${feeRule(table, value, rate, leastCredit[share])}`,
    ...shownVersion(table),
  }
}
