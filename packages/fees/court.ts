import { decimal, germanDecimal, money, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import type { CourtInput, CourtLine, CourtResult } from './court-schema.ts'
import type { Kv } from './kv.ts'
import { feeRule, least, shownRate } from './reckoned-fee.ts'
import { feeOf, type StepTable, shownVersion, versionOn } from './step-table.ts'
import { famgkgKv, famgkgTables } from './tables/famgkg.ts'
import { gkgKv, gkgTables } from './tables/gkg.ts'

const laws = {
  GKG: { tables: gkgTables, kv: gkgKv, cap: '§ 39 Abs. 2 GKG' },
  FamGKG: { tables: famgkgTables, kv: famgkgKv, cap: '§ 33 Abs. 2 FamGKG' },
} as const

const maxValue = '30000000'

/**
 * Court fees by value (V3).
 *
 * @throws Failure VALIDATION_ERROR for an unknown number, one that is named twice, two that exclude each other, or a
 *   day before the tables
 */
export function calculateCourt(input: CourtInput, { today }: { today: string }): CourtResult {
  const law = laws[input.law]
  const table = versionOn(law.tables, input.pending_on, 'body.pending_on')
  const isCapped = decimal(input.value).gt(maxValue)
  const value = isCapped ? maxValue : input.value
  const fees = input.kv.map((number, at) => lineOf(number, at, { ...input, value }, table, law.kv))
  const lines = [...fees, ...creditOf(fees, input.law)]
  const provisional = input.pending_on > today
  return {
    lines,
    total: money(sumOf(lines.map(({ amount }) => decimal(amount)))),
    warnings: [
      ...(isCapped ? [`Der Wert ist auf 30 Mio. € begrenzt (${law.cap}).`] : []),
      ...(provisional
        ? ['Der Tag der Anhängigkeit liegt in der Zukunft; bis dahin kann sich die Tabelle ändern.']
        : []),
    ],
    provisional,
  }
}

function lineOf(
  number: string,
  at: number,
  { law, value: given, kv, pending_on }: CourtInput,
  table: StepTable,
  known: Readonly<Record<string, Kv>>,
): CourtLine {
  const place = `body.kv.${at}`
  const found = Object.hasOwn(known, number) ? known[number] : undefined
  if (found === undefined)
    throw invalidAt(
      place,
      `Nr. ${number} KV ${law} is not known here. Known numbers: ${Object.keys(known).join(', ')}.`,
    )
  if (kv.indexOf(number) !== at)
    throw invalidAt(place, `Nr. ${number} KV ${law} arises once (${onceIn[law]}).`)
  const instead = kv.find(
    (one) =>
      one === found.instead || (found.instead && known[one]?.instead === found.instead && one !== number),
  )
  if (instead !== undefined)
    throw invalidAt(
      place,
      `Nr. ${instead} and Nr. ${number} KV ${law} exclude each other: they are one fee, full or reduced.`,
    )
  const value = decimal(given)
  const rate = decimal(found.rate)
  const fee = feeOf(table, value, rate)
  const leastAmount = found.least && versionOn(found.least, pending_on, 'body.pending_on')
  const amount = leastAmount && fee.lt(leastAmount.amount) ? decimal(leastAmount.amount) : fee
  const raised = amount.eq(fee) ? '' : ` Mindestens ${germanDecimal(money(amount))} €.`
  return {
    kv: number,
    number: `Nr. ${number} KV ${law}`,
    name: found.name,
    value: money(value),
    rate: shownRate(rate),
    amount: money(amount),
    rule: `${feeRule(table, value, rate)}${raised}`,
    ...shownVersion(table),
  }
}

const onceIn = { GKG: '§ 35 GKG', FamGKG: '§ 29 FamGKG' } as const

/** The fee of the Mahnverfahren is credited on the fee of the lawsuit that follows (Anm. Abs. 1 zu Nr. 1210 KV GKG). */
function creditOf(lines: readonly CourtLine[], law: CourtInput['law']): CourtLine[] {
  const order = lines.find(({ kv }) => law === 'GKG' && kv === '1100')
  const lawsuit = lines.find(({ kv }) => kv === '1210' || kv === '1211')
  if (order === undefined || lawsuit === undefined) return []
  const amount = least(decimal(order.amount), decimal(lawsuit.amount))
  return [
    {
      ...order,
      number: 'Anm. Abs. 1 zu Nr. 1210 KV GKG',
      name: 'Anrechnung der Gebühr Nr. 1100 KV GKG',
      amount: money(amount.times(-1)),
      rule: `In voller Höhe auf die Gebühr Nr. ${lawsuit.kv} KV GKG.`,
    },
  ]
}
