import { decimal, money, sumOf } from '#kernel/decimal.ts'
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
 * The law at the beginning of an instance counts for it (§ 71 Abs. 1 Satz 2 GKG, § 60 Abs. 1 RVG). A later instance is
 * still to come, so it begins today at the earliest.
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
  const reckoned = instances.slice(0, input.instances).map(({ vv, kv }, at) => {
    const begins = (day: string) => (at > 0 && day < context.today ? context.today : day)
    const pending_on = begins(input.pending_on)
    const court = calculateCourt({ law: 'GKG', value, pending_on, kv: [kv] }, context)
    const own = lawyer(vv, parties.own, begins(input.ordered_on))
    const other = lawyer(vv, parties.other, begins(input.ordered_on))
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
