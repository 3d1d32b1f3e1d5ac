import * as z from 'zod'
import { decimal, decimalText } from '#kernel/decimal.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { Text } from '#kernel/text.ts'
import { checkedUntil, clientCount, FeeAmount, feeDay, positiveAmount, RvgResult } from './rvg-schema.ts'

const pendingOn = z.lazy(() =>
  feeDay.meta({
    description:
      'The day on which the case became pending. It decides which table applies (§ 71 GKG, § 63 FamGKG).',
  }),
)

/** The body of `POST /fees/court` (V3, V8). */
export const CourtInput = namedObject('CourtInput', () => ({
  law: z.enum(['GKG', 'FamGKG']).meta({ description: 'The law of the court fees.' }),
  value: positiveAmount.meta({ description: 'The value of the case (Streitwert), euros.' }),
  pending_on: pendingOn,
  kv: z
    .array(z.string().regex(/^\d{4}$/, 'Four digits, such as "1210".'))
    .min(1, 'At least one number.')
    .max(20, 'At most 20 numbers.')
    .meta({ description: 'Numbers of the Kostenverzeichnis, `1210`.' }),
}))

export type CourtInput = z.output<typeof CourtInput>

export const CourtLine = namedObject('CourtLine', () => ({
  kv: Text.meta({ description: 'The number of the Kostenverzeichnis.' }),
  number: Text.meta({ description: '`Nr. 1210 KV GKG`' }),
  name: Text,
  value: FeeAmount.meta({ description: 'The value from which the fee is calculated.' }),
  rate: Text.meta({ description: 'The rate of the fee.' }),
  amount: FeeAmount,
  rule: Text.meta({ description: 'How the amount was calculated, in German.' }),
  table: Text.meta({ description: 'The version of the table.' }),
  checked_until: z.iso.date().meta({ description: checkedUntil }),
}))

export type CourtLine = z.infer<typeof CourtLine>

/** The answer of `POST /fees/court`. */
export const CourtResult = namedObject('CourtResult', () => ({
  lines: z.array(CourtLine).meta({ description: 'The fees, in the order of the request.' }),
  total: FeeAmount,
  warnings: z.array(Text).meta({ description: 'Points to check, in German.' }),
  provisional: z.boolean().meta({
    description: 'The decisive day is in the future: the law may change until then.',
  }),
}))

export type CourtResult = z.infer<typeof CourtResult>

const orderedOn = z.lazy(() =>
  feeDay.meta({
    description: 'The day of the orders to the lawyers. It decides which table applies (§ 60 RVG).',
  }),
)

const RiskAppeal = namedObject('RiskAppeal', () => ({ pending_on: pendingOn, ordered_on: orderedOn }))

/** The body of `POST /fees/risk` (V4, V8). */
export const RiskInput = namedObject('RiskInput', () => ({
  value: positiveAmount.meta({ description: 'The value of the case (Streitwert), euros.' }),
  instances: z
    .int()
    .gte(1, 'At least 1.')
    .lte(3, 'At most 3.')
    .meta({ description: 'How many instances: 1 to 3, the third before the Bundesgerichtshof.' }),
  parties: orDefault(
    z.object({
      own: orDefault(clientCount, 1).meta({ description: 'Persons on your own side.' }),
      other: orDefault(clientCount, 1).meta({ description: 'Persons on the other side.' }),
    }),
    {
      own: 1,
      other: 1,
    },
  ).meta({ description: 'How many persons each side has. Each side has one lawyer.' }),
  pending_on: pendingOn,
  ordered_on: orderedOn,
  appeals: orDefault(z.array(RiskAppeal).max(2, 'At most 2: the second and the third instance.'), []).meta({
    description:
      'The days of the second and the third instance, in this order, if they have begun already. Otherwise they begin today at the earliest.',
  }),
  won_share: orDefault(
    decimalText({ digits: 1, places: 4 })
      .refine((share) => decimal(share).lte(1), 'From 0 to 1.')
      .meta({ pattern: '^(0(\\.\\d{1,4})?|1(\\.0{1,4})?)$' }),
    '0',
  ).meta({ description: 'The share of success, from 0 to 1 (§ 92 ZPO); `"0"` if omitted.' }),
}))

export type RiskInput = z.output<typeof RiskInput>

const RiskInstance = namedObject('RiskInstance', () => ({
  instance: z.int().meta({ description: '1, 2 or 3.' }),
  court: CourtResult.meta({ description: 'The court fees of the instance.' }),
  own: RvgResult.meta({ description: 'The fees of your own lawyer.' }),
  other: RvgResult.meta({ description: 'The fees of the lawyer of the other side.' }),
  total: FeeAmount,
}))

/** The answer of `POST /fees/risk`. */
export const RiskResult = namedObject('RiskResult', () => ({
  instances: z.array(RiskInstance).meta({ description: 'Each instance with its costs.' }),
  total: FeeAmount,
  bears: namedObject('RiskShares', () => ({ own: FeeAmount, other: FeeAmount })).meta({
    description: 'The costs that each side bears (§§ 91, 92 ZPO).',
  }),
  provisional: z.boolean().meta({ description: 'A decisive day is in the future.' }),
}))

export type RiskResult = z.infer<typeof RiskResult>
