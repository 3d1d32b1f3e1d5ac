import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Page, PageOut } from '#kernel/page.ts'
import { calculateCourt } from './court.ts'
import type { CourtInput, CourtResult, RiskInput, RiskResult } from './court-schema.ts'
import { calculateInterest } from './interest.ts'
import type { BaseRate, BaseRateQuery, InterestInput, InterestResult } from './interest-schema.ts'
import { calculateRisk } from './risk.ts'
import { calculateRvg } from './rvg.ts'
import type { RvgInput, RvgResult } from './rvg-schema.ts'
import { baseRates, baseRateTable } from './tables/base-rates.ts'

export type FeeService = ReturnType<typeof feeService>

/** The calculations of fees and interest. They store nothing (V1). Each throws Failure VALIDATION_ERROR. */
export function feeService({ pageOut, clock }: { pageOut: PageOut; clock: Clock }) {
  const today = () => localDateOf(clock.now(), 'Europe/Berlin')
  return {
    rvg: async (input: RvgInput): Promise<RvgResult> => calculateRvg(input, { today: today() }),
    court: async (input: CourtInput): Promise<CourtResult> => calculateCourt(input, { today: today() }),
    risk: async (input: RiskInput): Promise<RiskResult> => calculateRisk(input, { today: today() }),
    interest: async (input: InterestInput): Promise<InterestResult> => calculateInterest(input),

    /** The base rates, the newest first. */
    listBaseRates: (
      { workspace_id }: Actor,
      { limit = baseRates.length, cursor }: BaseRateQuery,
    ): Promise<Page<BaseRate>> =>
      pageOut([workspace_id, 'base_rates'], newestFirst, { limit, cursor }, ({ valid_from }) => valid_from),
  }
}

const newestFirst = baseRates
  .map(([valid_from, rate]): BaseRate => ({ valid_from, rate, source: baseRateTable.source }))
  .toReversed()
