import { decimal, money, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { calculateCourt } from './court.ts'
import type { RiskInput, RiskResult } from './court-schema.ts'
import { calculateRvg } from './rvg.ts'

/** The fees of each instance: of a lawyer, and of the court. The third instance is that before the BGH. */
const instances = [
  { vv: ['3100', '3104'], kv: '1210' },
  { vv: ['3200', '3202'], kv: '1220' },
  { vv: ['3208', '3210'], kv: '1230' },
] as const

/**
 * The costs that a lawsuit may cause (V4). Each instance has the fees of the court and of a lawyer for each side, with
 * hearing, flat charge and VAT. The share of success decides how the parties bear them (§§ 91, 92 ZPO).
 *
 * The law at the beginning of an instance counts for it (§ 71 Abs. 1 Satz 2 GKG, § 60 Abs. 1 RVG). A later instance that
 * `appeals` does not name is still to come, so it begins today at the earliest.
 *
 * @throws Failure VALIDATION_ERROR for appeals beyond the instances, or before the instance that they follow
 */
export function calculateRisk(input: RiskInput, context: { today: string }): RiskResult {
  const { value, parties, won_share } = input
  const lawyer = (vv: readonly string[], clients: number, ordered_on: string) =>
    calculateRvg(
      {
        value,
        ordered_on,
        legal_aid: false,
        clients,
        fees: vv.map((one) => ({ vv: one })),
        credited: [],
        expenses: [{ vv: '7002' }],
        vat_rate: '19',
      },
      context,
    )
  const begun = beginnings(input, context.today)
  const reckoned = instances.slice(0, input.instances).map(({ vv, kv }, at) => {
    const { pending_on, ordered_on } = begun[at] ?? input
    const court = calculateCourt({ law: 'GKG', value, pending_on, kv: [kv] }, context)
    const own = lawyer(vv, parties.own, ordered_on)
    const other = lawyer(vv, parties.other, ordered_on)
    const total = money(sumOf([court.total, own.gross, other.gross].map(decimal)))
    return { instance: at + 1, court, own, other, total }
  })
  const total = sumOf(reckoned.map((one) => decimal(one.total)))
  const own = money(total.times(decimal(1).minus(won_share)))
  return {
    instances: reckoned,
    total: money(total),
    bears: { own, other: money(total.minus(own)) },
    provisional: reckoned.some((one) => one.court.provisional || one.own.provisional),
  }
}

type Beginning = Pick<RiskInput, 'pending_on' | 'ordered_on'>

/** The decisive days of the three instances. */
function beginnings({ pending_on, ordered_on, appeals, instances: count }: RiskInput, today: string) {
  if (appeals.length >= count)
    throw invalidAt('body.appeals', 'Not more than the `instances` after the first one.')
  const days: [Beginning, ...Beginning[]] = [{ pending_on, ordered_on }]
  let before = days[0]
  for (const at of [0, 1]) {
    const begun = appeals[at]
    for (const field of ['pending_on', 'ordered_on'] as const)
      if (begun && begun[field] < before[field])
        throw invalidAt(
          `body.appeals.${at}.${field}`,
          `Not before ${before[field]}, the day of the instance before.`,
        )
    before = begun ?? {
      pending_on: later(before.pending_on, today),
      ordered_on: later(before.ordered_on, today),
    }
    days.push(before)
  }
  return days
}

const later = (one: string, other: string) => (one > other ? one : other)
