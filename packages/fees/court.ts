import { decimal, germanDecimal, money, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import type { CourtInput, CourtLine, CourtResult } from './court-schema.ts'
import type { Kv } from './kv.ts'
import { feeRule, shownRate } from './reckoned-fee.ts'
import { feeOf, type StepTable, versionName, versionOn } from './step-table.ts'
import { famgkgKv, famgkgTables } from './tables/famgkg.ts'
import { gkgKv, gkgTables } from './tables/gkg.ts'

const laws = {
  GKG: { tables: gkgTables, kv: gkgKv, cap: '§ 39 Abs. 2 GKG', begins: '§ 34 GKG begin on 2013-08-01' },
  FamGKG: {
    tables: famgkgTables,
    kv: famgkgKv,
    cap: '§ 33 Abs. 2 FamGKG',
    begins: '§ 28 FamGKG begin on 2021-01-01 here',
  },
} as const

const maxValue = '30000000'

/**
 * Court fees by value (V3).
 *
 * @throws Failure VALIDATION_ERROR for an unknown number, two that exclude each other, or a day before the tables
 */
export function calculateCourt(input: CourtInput, { today }: { today: string }): CourtResult {
  const law = laws[input.law]
  const table = versionOn(law.tables, input.pending_on)
  if (table === undefined) throw invalidAt('body.pending_on', `The tables of ${law.begins}.`)
  const isCapped = decimal(input.value).gt(maxValue)
  const value = isCapped ? maxValue : input.value
  const lines = input.kv.map((number, at) => lineOf(number, at, { ...input, value }, table, law.kv))
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
    throw invalidAt(place, `Nr. ${number} KV ${law} is not known here: ${Object.keys(known).join(', ')} are.`)
  if (kv.indexOf(number) !== at)
    throw invalidAt(place, `Nr. ${number} KV ${law} arises once (${onceIn[law]}).`)
  const instead = kv.find(
    (one) =>
      one === found.instead || (found.instead && known[one]?.instead === found.instead && one !== number),
  )
  if (instead !== undefined)
    throw invalidAt(
      place,
      `Nr. ${number} and Nr. ${instead} KV ${law} exclude each other: the first is the lowered fee.`,
    )
  const value = decimal(given)
  const rate = decimal(found.rate)
  const fee = feeOf(table, value, rate)
  const leastAmount = found.least && versionOn(found.least, pending_on)
  if (found.least && leastAmount === undefined)
    throw invalidAt(place, `The least amount of Nr. ${number} KV ${law} is known from 2021-01-01 on.`)
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
    table: versionName(table),
  }
}

const onceIn = { GKG: '§ 35 GKG', FamGKG: '§ 29 FamGKG' } as const
