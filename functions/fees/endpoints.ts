import { CourtInput, CourtResult, RiskInput, RiskResult } from '#fees/court-schema.ts'
import type { FeeService } from '#fees/fees.ts'
import { BaseRate, BaseRateQuery, InterestInput, InterestResult } from '#fees/interest-schema.ts'
import { RvgInput, RvgResult } from '#fees/rvg-schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { onePage, pageOf } from '#kernel/page.ts'
import * as examples from './examples.ts'

const endpoint = endpointsOf<{ fees: FeeService }>()

const calculation = {
  method: 'POST',
  access: 'billing:read',
  storedAlone: 'It changes nothing.',
  storesNothing: true,
} as const

export const calculateRvgFees = endpoint({
  ...calculation,
  path: '/api/v1/fees/rvg',
  summary: 'Calculate a lawyer’s fees',
  description:
    'Fees by value (§§ 13, 49 RVG) with expenses and VAT, each line with its number, its rule in German and the version of its table; stores nothing. The day of the order decides which table applies (§ 60 RVG). A fee without `rate` gets the usual one; a rate outside its range is refused with 400, which names the range. Parts of one fee each have their own `value`: § 15 Abs. 3 RVG limits them. Earlier fees are credited as negative lines (§ 15a RVG, Vorbem. 3 Abs. 4 VV RVG). Values above 30 million are calculated at 30 million, with a warning; `client_values` of several clients with different objects at up to 100 million (§ 22 Abs. 2 RVG).',
  body: RvgInput,
  output: RvgResult,
  example: examples.rvg,
  handle: ({ fees }, { body }) => fees.rvg(body),
})

export const calculateCourtFees = endpoint({
  ...calculation,
  path: '/api/v1/fees/court',
  summary: 'Calculate court fees',
  description:
    'Fees by value of the usual numbers of the Kostenverzeichnis of GKG or FamGKG; stores nothing. The day on which the case became pending in its instance decides which table applies (§ 71 GKG, § 63 FamGKG). Nr. 1100 KV GKG is credited on Nr. 1210 or 1211 as a negative line.',
  body: CourtInput,
  output: CourtResult,
  example: examples.court,
  handle: ({ fees }, { body }) => fees.court(body),
})

export const calculateRisk = endpoint({
  ...calculation,
  path: '/api/v1/fees/risk',
  summary: 'Calculate what a lawsuit may cost',
  description:
    'For one to three instances: court fees, and a lawyer for each side with hearing, flat charge for post and 19 % VAT; and how much each side bears at the given share of success (§§ 91, 92 ZPO). The given days are those of the first instance; a later one is calculated as if it began today, unless they are in the future or `appeals` names its days. Stores nothing.',
  body: RiskInput,
  output: RiskResult,
  example: examples.risk,
  handle: ({ fees }, { body }) => fees.risk(body),
})

export const calculateInterest = endpoint({
  ...calculation,
  path: '/api/v1/interest',
  summary: 'Calculate interest',
  description:
    'By day, with a row for each period with one rate, and the open amounts after payments; stores nothing. Interest includes the first and the last day, but not the day of a payment. Days after the last announced base rate are calculated with that rate and marked `provisional`. A payment above the debt is refused with 400, which names the debt.',
  body: InterestInput,
  output: InterestResult,
  example: examples.interest,
  handle: ({ fees }, { body }) => fees.interest(body),
})

export const listBaseRates = endpoint({
  method: 'GET',
  path: '/api/v1/interest/base-rates',
  access: 'billing:read',
  summary: 'List the base rates of § 247 BGB since 2002, the newest first',
  query: BaseRateQuery,
  output: pageOf(BaseRate),
  example: {
    answer: {
      data: [
        {
          valid_from: '2026-07-01',
          rate: '1.52',
          source: '§ 247 Abs. 2 BGB, Bekanntmachungen der Deutschen Bundesbank im Bundesanzeiger',
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ fees }, { actor, query }) => fees.listBaseRates(actor, query),
})
