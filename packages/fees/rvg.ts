import { type Decimal, decimal, germanDecimal, money, rounded, sumOf } from '#kernel/decimal.ts'
import { invalid } from '#kernel/failure.ts'
import { creditsOf } from './credits.ts'
import { expensesOf } from './expenses.ts'
import { rateOf } from './rates.ts'
import { feeRule, least, type ReckonedFee, shownRate, type TableFor } from './reckoned-fee.ts'
import type { RvgFeeInput, RvgInput, RvgLine, RvgResult } from './rvg-schema.ts'
import { feeOf, versionName, versionOn } from './step-table.ts'
import { legalAidFrom, legalAidTables, rvgTables } from './tables/rvg.ts'

/** How a calculation is called: the day from which on a date is in the future, and where its body stands. */
export type Context = { today: string; path?: string }

/**
 * A lawyer's fees by value, expenses and VAT (V2), each with its number and rule. Parts of one fee are limited (§ 15
 * Abs. 3 RVG). Earlier fees are credited as negative lines (§ 15a RVG, Vorbem. 3 Abs. 4 VV RVG).
 *
 * @throws Failure VALIDATION_ERROR for what the law does not know, with the paragraph
 */
export function calculateRvg(input: RvgInput, { today, path = 'body' }: Context): RvgResult {
  const warnings = new Set<string>()
  const tableFor = tables(input, path)
  const fees = input.fees.map((fee, at) => reckon(fee, at, input, { tableFor, warnings, path }))
  refuseExcluded(fees, input, path)
  const limits = limitsOf(fees, tableFor)
  const credits = creditsOf(fees, input, { tableFor, path })
  const earned = sumOf([...fees.map(({ line }) => line), ...limits].map(({ amount }) => decimal(amount)))
  const expenses = expensesOf(input, earned, path)
  const lines = [...fees.map(({ line }) => line), ...limits, ...credits, ...expenses]
  const net = sumOf(lines.map(({ amount }) => decimal(amount)))
  const vat = rounded(net.times(input.vat_rate).div(100), 2)
  const provisional = input.ordered_on > today
  if (fees.some(({ vv }) => vv.startsWith('23')) && fees.some(({ vv }) => vv.startsWith('3')))
    warnings.add(
      'Außergerichtliche und gerichtliche Tätigkeit sind verschiedene Angelegenheiten (§ 17 RVG): Die Geschäftsgebühr ist hier nicht angerechnet. Rechnen Sie getrennt und nennen Sie sie in credited.',
    )
  if (input.legal_aid && credits.length > 0)
    warnings.add('Bei Prozesskostenhilfe richtet sich die Anrechnung auch nach § 55 Abs. 5, § 58 Abs. 2 RVG.')
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

function tables({ ordered_on, legal_aid }: RvgInput, path: string): TableFor {
  const regular = versionOn(rvgTables, ordered_on)
  if (regular === undefined)
    throw invalid('There is no table for this day.', [
      { path: `${path}.ordered_on`, message: 'The tables of § 13 RVG begin on 2013-08-01.' },
    ])
  if (!legal_aid) return () => regular
  const reduced = versionOn(legalAidTables, ordered_on)
  if (reduced === undefined)
    throw invalid('There is no table of legal aid for this day.', [
      { path: `${path}.ordered_on`, message: 'The tables of § 49 RVG begin on 2021-01-01.' },
    ])
  return (value) => (value.gt(legalAidFrom) ? reduced : regular)
}

type Reckoning = { tableFor: TableFor; warnings: Set<string>; path: string }

function reckon(
  fee: RvgFeeInput,
  at: number,
  input: RvgInput,
  { tableFor, warnings, path }: Reckoning,
): ReckonedFee {
  const place = `${path}.fees.${at}`
  const { vv, found, rate: own } = rateOf(fee, place)
  const isRaised = found.raised === true && !(vv === '3308' && input.fees.some((one) => one.vv === '3305'))
  const clients = isRaised ? (fee.clients ?? input.clients) : 1
  const raise = clients > 1 ? least(decimal('0.3').times(clients - 1), decimal('2')) : decimal(0)
  const rate = own.plus(raise)
  const value = capped(decimal(fee.value ?? input.value), warnings)
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
    table: versionName(table),
  }
  return { at, vv, kind: found.kind, value, rate, amount, line }
}

const maxValue = '30000000'

/** The value, at most 30 million (§ 22 Abs. 2 RVG). */
function capped(value: Decimal, warnings: Set<string>): Decimal {
  if (value.lte(maxValue)) return value
  warnings.add(
    'Der Wert ist auf 30 Mio. € begrenzt (§ 22 Abs. 2 RVG). Mehrere Auftraggeber mit verschiedenen Gegenständen, zusammen höchstens 100 Mio. €, sind nicht gerechnet.',
  )
  return decimal(maxValue)
}

/** @throws Failure VALIDATION_ERROR if two numbers of one fee are named for the same value (§ 15 Abs. 2, 3 RVG) */
function refuseExcluded(fees: readonly ReckonedFee[], input: RvgInput, path: string): void {
  for (const [index, fee] of fees.entries()) {
    for (const earlier of fees.slice(0, index)) {
      if (earlier.vv === fee.vv)
        throw excluded(fee, path, `Nr. ${fee.vv} VV RVG arises once (§ 15 Abs. 2 RVG).`)
      if (fee.kind === undefined || earlier.kind !== fee.kind || !isSameValue(earlier, fee, input)) continue
      throw excluded(
        fee,
        path,
        `Nr. ${earlier.vv} and Nr. ${fee.vv} VV RVG exclude each other for the same value (§ 15 Abs. 2 RVG). For parts give each its own value.`,
      )
    }
  }
}

/** Two fees have the same value, unless they are parts of the matter, or one is a part of its own beside it. */
function isSameValue(one: ReckonedFee, other: ReckonedFee, { fees, value }: RvgInput): boolean {
  if (!one.value.eq(other.value)) return false
  const areParts = fees[one.at]?.value && fees[other.at]?.value
  return !(areParts && one.value.plus(other.value).lte(value))
}

function excluded({ at, vv }: ReckonedFee, path: string, message: string) {
  return invalid(`Nr. ${vv} VV RVG cannot be charged here.`, [{ path: `${path}.fees.${at}.vv`, message }])
}

/** Negative lines that limit parts of one fee: together at most the highest rate on the sum of their values (§ 15 Abs. 3 RVG). */
function limitsOf(fees: readonly ReckonedFee[], tableFor: TableFor): RvgLine[] {
  const kinds = Map.groupBy(
    fees.filter(({ kind }) => kind !== undefined),
    ({ kind }) => kind,
  )
  return [...kinds.values()].flatMap((parts) => {
    if (parts.length < 2) return []
    const value = least(sumOf(parts.map((part) => part.value)), decimal(maxValue))
    const rate = parts.reduce((highest, part) => (part.rate.gt(highest) ? part.rate : highest), decimal(0))
    const table = tableFor(value)
    const limit = feeOf(table, value, rate)
    const excess = sumOf(parts.map(({ amount }) => amount)).minus(limit)
    if (excess.lte(0)) return []
    return [
      {
        vv: null,
        number: '§ 15 Abs. 3 RVG',
        name: `Begrenzung der Gebühren Nr. ${parts.map(({ vv }) => vv).join(' und ')} VV RVG`,
        value: money(value),
        rate: shownRate(rate),
        amount: money(excess.times(-1)),
        rule: `Zusammen höchstens ${germanDecimal(money(limit))} €: ${feeRule(table, value, rate)}`,
        table: versionName(table),
      },
    ]
  })
}
