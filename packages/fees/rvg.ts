import { type Decimal, decimal, germanDecimal, money, rounded, sumOf } from '#kernel/decimal.ts'
import { invalid, invalidAt } from '#kernel/failure.ts'
import { creditsOf } from './credits.ts'
import { expensesOf } from './expenses.ts'
import { payoutFee } from './payout-fee.ts'
import { rateOf } from './rates.ts'
import { feeRule, least, type ReckonedFee, shownRate, type TableFor } from './reckoned-fee.ts'
import type { RvgFeeInput, RvgInput, RvgLine, RvgResult } from './rvg-schema.ts'
import { feeOf, shownVersion, versionOn } from './step-table.ts'
import { legalAidFrom, legalAidTables, rvgTables } from './tables/rvg.ts'
import { vvFees } from './vv.ts'
import { limitsOf, wholeFees } from './whole-fee.ts'

/** The current day, after which a date is in the future, and the path of the input in the request. */
export type Context = { today: string; path?: string }

/**
 * A lawyer's fees by value, expenses and VAT (V2), each with its number and rule. Earlier fees are credited as negative
 * lines (§ 15a RVG, Vorbem. 3 Abs. 4 VV RVG). Then parts of one fee are limited (§ 15 Abs. 3 RVG).
 *
 * @throws Failure VALIDATION_ERROR, with the provision, for input that the law does not allow
 */
export function calculateRvg(input: RvgInput, { today, path = 'body' }: Context): RvgResult {
  const warnings = new Set<string>()
  const tableOn = (day: string | null = input.ordered_on) => tablesOn(day ?? input.ordered_on, input, path)
  const tableFor = tableOn()
  const most = mostValue(input, path)
  const fees = input.fees.map((fee, at) => reckon(fee, at, input, { tableFor, most, warnings, path }))
  refuseExcluded(fees, input, path)
  const whole = wholeFees(fees, { tableFor, most })
  const { lines: credits, creditedOn } = creditsOf(whole, input, { tableOn, warnings, path })
  const charged = fees.map(({ line }) => line)
  const earned = netOf([...charged, ...limitsOf(whole)])
  const expenses = expensesOf(input, earned, path)
  const lines = [...charged, ...credits, ...limitsOf(whole, creditedOn), ...expenses]
  const net = netOf(lines)
  const vat = rounded(net.times(input.vat_rate).div(100), 2)
  const provisional = input.ordered_on > today
  if (mattersOf(fees) > 1)
    warnings.add(
      'Die Gebühren gehören zu verschiedenen Angelegenheiten (§§ 17, 18 RVG): Rechnen Sie sie getrennt. Nr. 7002 VV RVG entsteht in jeder, und Anrechnungen gehören in credited.',
    )
  const unpaid = input.fees.map(({ vv }) => vv).filter((vv) => input.legal_aid && vv.startsWith('2'))
  if (unpaid.length > 0)
    warnings.add(
      `Nr. ${unpaid.join(', ')} VV RVG zahlt die Staatskasse bei Prozesskostenhilfe nicht, und § 49 RVG gilt dafür nicht (§ 48 Abs. 1 RVG): Rechnen Sie ohne legal_aid.`,
    )
  if (input.legal_aid && credits.length > 0)
    warnings.add(
      'Die Anrechnung ist nach § 49 RVG gerechnet. Bei Prozesskostenhilfe richtet sie sich auch nach § 55 Abs. 5, § 58 Abs. 2 RVG.',
    )
  if (provisional)
    warnings.add('Der Tag des Auftrags liegt in der Zukunft; bis dahin kann sich die Tabelle ändern.')
  return {
    lines,
    net: money(net),
    vat_rate: input.vat_rate,
    vat: money(vat),
    gross: money(net.plus(vat)),
    warnings: [...warnings],
    provisional,
  }
}

const netOf = (lines: readonly RvgLine[]) => sumOf(lines.map(({ amount }) => decimal(amount)))

function tablesOn(day: string, { legal_aid }: RvgInput, path: string): TableFor {
  const place = `${path}.ordered_on`
  const regular = versionOn(rvgTables, day, place)
  if (!legal_aid) return () => regular
  const reduced = versionOn(legalAidTables, day, place)
  return (value) => (value.gt(legalAidFrom) ? reduced : regular)
}

/**
 * For each matter (§§ 17, 18 RVG) the numbers that belong to it: the examination of an appeal, an agreement of lawyers,
 * work out of court, a Güteverfahren, the Mahnverfahren, each instance, enforcement, a Beschwerde, a Rechtsbeschwerde,
 * the leave to appeal to each instance.
 */
const matters =
  '210 220 230[012] 2303 330[5-8] 310 320[0-5] 32 3309|3310 3500|3513|3514 350[23] 350[45] 350[6-9]'
    .split(' ')
    .map((numbers) => new RegExp(`^(${numbers})`))

function mattersOf(fees: readonly ReckonedFee[]): number {
  const named = fees.map(({ vv }) => matters.findIndex((matter) => matter.test(vv)))
  return new Set(named.filter((at) => at >= 0)).size
}

type Reckoning = { tableFor: TableFor; most: Decimal; warnings: Set<string>; path: string }

function reckon(
  fee: RvgFeeInput,
  at: number,
  input: RvgInput,
  { tableFor, most, warnings, path }: Reckoning,
): ReckonedFee {
  const place = `${path}.fees.${at}`
  const { vv } = fee
  if (vv === '1009') return payoutFee(fee, at, place)
  const { found, rate: own } = rateOf(fee, place)
  const clients = found.raised && !(vv === '3308' && isRaised('3305', input)) ? clientsOf(fee, input) : 1
  const raise = clients > 1 ? least(decimal('0.3').times(clients - 1), decimal('2')) : decimal(0)
  const rate = own.plus(raise)
  const value = least(decimal(fee.value ?? input.value), most)
  if (value.lt(fee.value ?? input.value)) warnings.add(cappedAt(most, input))
  const table = tableFor(value)
  const amount = feeOf(table, value, rate)
  if (vv === '2300' && own.gt('1.3'))
    warnings.add(
      'Mehr als 1,3 kann nur gefordert werden, wenn die Tätigkeit umfangreich oder schwierig war (Anm. Abs. 1 zu Nr. 2300 VV RVG): bitte begründen.',
    )
  const raised = raise.gt(0)
    ? ` Satz ${germanDecimal(own.toFixed())}, erhöht um ${germanDecimal(raise.toFixed())} für ${clients - 1} ${clients === 2 ? 'weiteren' : 'weitere'} Auftraggeber (Nr. 1008 VV RVG${raise.eq(2) ? ', höchstens 2,0' : ''}).`
    : ''
  const line: RvgLine = {
    vv,
    number: `Nr. ${vv}${raise.gt(0) ? ', 1008' : ''} VV RVG`,
    name: found.name,
    value: money(value),
    rate: shownRate(rate),
    amount: money(amount),
    rule: `${feeRule(table, value, rate)}${raised}`,
    ...shownVersion(table),
  }
  return { at, vv, kind: kindOf(vv, input), value, rate, amount, line }
}

/**
 * Fees that belong to a procedure: beside the Verfahrens- or Terminsgebühr of one of these numbers they are a part of
 * it. Nr. 3335 is not a part of Nr. 3500 to 3503: a Beschwerde against the refusal of legal aid is a matter of its own
 * (§ 18 Abs. 1 Nr. 3 RVG).
 */
const belonging: Readonly<Record<string, { to: RegExp; provision: string }>> = {
  3330: { to: /^(3[125]|330[01])/, provision: '§ 19 Abs. 1 Satz 2 Nr. 5 RVG' },
  3331: { to: /^(3[125]|330[01])/, provision: '§ 19 Abs. 1 Satz 2 Nr. 5 RVG' },
  3335: { to: /^(3[12]|330[01]|350[4-9])/, provision: '§ 16 Nr. 2, § 23a Abs. 2 RVG' },
}

function kindOf(vv: string, { fees }: RvgInput): string | undefined {
  const own = vvFees[vv]
  const main = fees.find((fee) => belonging[vv]?.to.test(fee.vv) && vvFees[fee.vv]?.hearing === own?.hearing)
  return main ? vvFees[main.vv]?.kind : own?.kind
}

const clientsOf = (fee: RvgFeeInput, input: RvgInput) => fee.clients ?? input.clients

/** Whether several clients raise the fee of a number (Anm. zu Nr. 3308 VV RVG). */
function isRaised(vv: string, input: RvgInput): boolean {
  return input.fees.some((fee) => fee.vv === vv && clientsOf(fee, input) > 1)
}

const mostOfOne = decimal(30_000_000)
const mostOfAll = decimal(100_000_000)

/**
 * The highest value of the matter: 30 million. For clients with different objects it is 30 million each, together at
 * most 100 million (§ 22 Abs. 2 RVG).
 *
 * @throws Failure VALIDATION_ERROR if `value` is not the sum of `client_values`, or clients with the same object are named too
 */
function mostValue(input: RvgInput, path: string): Decimal {
  const { client_values: values, value } = input
  if (!values) return mostOfOne
  const sum = sumOf(values.map(decimal))
  if (!sum.eq(value))
    throw invalidAt(`${path}.value`, `The sum of \`client_values\` is ${money(sum)}: send it here.`)
  if (input.clients > 1 || input.fees.some(({ clients }) => clients && clients > 1))
    throw invalidAt(
      `${path}.client_values`,
      'Clients with different objects do not raise a fee (Nr. 1008 Abs. 1 VV RVG): leave out `clients`.',
    )
  return least(sumOf(values.map((one) => least(decimal(one), mostOfOne))), mostOfAll)
}

function cappedAt(most: Decimal, { client_values }: RvgInput): string {
  const law = client_values
    ? '30 Mio. € je Auftraggeber, zusammen 100 Mio. €, § 22 Abs. 2 Satz 2 RVG'
    : '§ 22 Abs. 2 Satz 1 RVG; für Auftraggeber mit verschiedenen Gegenständen siehe client_values'
  return `Der Wert ist auf ${germanDecimal(money(most))} € begrenzt (${law}).`
}

/**
 * @throws Failure VALIDATION_ERROR if a number is named twice (except Nr. 1009), if two numbers of one fee are named for
 *   the same value (§ 15 Abs. 2, 3 RVG), or if a Gehörsrüge or legal aid is named in addition to its procedure
 */
function refuseExcluded(fees: readonly ReckonedFee[], input: RvgInput, path: string): void {
  for (const [index, fee] of fees.entries()) {
    for (const earlier of fees.slice(0, index)) {
      if (earlier.vv === fee.vv && fee.vv !== '1009')
        throw excluded(fee, path, `Nr. ${fee.vv} VV RVG arises once (§ 15 Abs. 2 RVG).`)
      if (fee.kind === undefined || earlier.kind !== fee.kind || areParts(earlier, fee, input)) continue
      const provision = provisionOf(earlier, fee)
      if (provision)
        throw excluded(
          fee,
          path,
          `Nr. ${earlier.vv} and Nr. ${fee.vv} VV RVG belong to one matter (${provision}). Calculate another matter separately. For parts, give each fee its own \`value\`; the \`value\` of the matter is their sum.`,
        )
      if (!earlier.value.eq(fee.value)) continue
      throw excluded(
        fee,
        path,
        `Nr. ${earlier.vv} and Nr. ${fee.vv} VV RVG exclude each other for the same value (§ 15 Abs. 2 RVG). For parts, give each fee its own \`value\`; the \`value\` of the matter is their sum.`,
      )
    }
  }
}

/** Whether both fees name a `value` of their own, and these together fit into the value of the matter. */
function areParts(one: ReckonedFee, other: ReckonedFee, { fees, value }: RvgInput): boolean {
  return Boolean(fees[one.at]?.value && fees[other.at]?.value) && one.value.plus(other.value).lte(value)
}

/** Why one of two fees belongs to the procedure of the other. Its value is not another one, even if it is lower. */
function provisionOf(one: ReckonedFee, other: ReckonedFee): string | undefined {
  const [part, main] = one.vv in belonging ? [one, other] : [other, one]
  const found = belonging[part.vv]
  return found?.to.test(main.vv) ? found.provision : undefined
}

function excluded({ at, vv }: ReckonedFee, path: string, message: string) {
  return invalid(`Nr. ${vv} VV RVG cannot be charged here.`, [{ path: `${path}.fees.${at}.vv`, message }])
}
