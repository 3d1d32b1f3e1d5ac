import * as z from 'zod'
import { decimal, decimalText } from '#kernel/decimal.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { pageLimit, pageQuery } from '#kernel/page.ts'
import { NullableText, Text } from '#kernel/text.ts'
import { FeeAmount, positiveAmount } from './rvg-schema.ts'

const day = z.lazy(() =>
  z.iso
    .date({ error: 'A calendar date, as YYYY-MM-DD.', abort: true })
    .refine((given) => given >= '1900-01-01' && given <= '2099-12-31', 'From 1900-01-01 to 2099-12-31.'),
)

/** Percent, at most 100. */
const percent = z.lazy(() =>
  decimalText({ digits: 3, places: 4 }).refine((given) => decimal(given).lte(100), 'From 0 to 100.'),
)

const InterestRate = z.lazy(() =>
  z
    .object({
      above_base: percent.nullish().meta({
        description:
          'Percentage points above the base rate (§ 247 BGB): `"5"` (§ 288 Abs. 1 BGB), `"9"` (Abs. 2).',
      }),
      fixed: percent.nullish().meta({ description: 'Percent a year.' }),
    })
    .refine(
      ({ above_base, fixed }) => Boolean(above_base) !== Boolean(fixed),
      'Either `above_base` or `fixed`.',
    ),
)

const Payment = namedObject('InterestPaymentInput', () => ({
  date: day.meta({
    description: 'The day of the payment. From this day on the paid amount bears no interest.',
  }),
  amount: positiveAmount.meta({ description: 'Euros, at most what is owed on that day.' }),
}))

/** The body of `POST /interest` (V5, V8). */
export const InterestInput = namedObject('InterestInput', () => ({
  principal: positiveAmount.meta({ description: 'The claim (Hauptforderung), euros.' }),
  from: day.meta({ description: 'The first day that bears interest.' }),
  to: day.meta({ description: 'The last day that bears interest.' }),
  rate: InterestRate.meta({ description: 'Either above the base rate, or fixed.' }),
  payments: orDefault(z.array(Payment).max(500, 'At most 500 payments.'), []).meta({
    description: 'Payments from `from` to `to`, in any order.',
  }),
  costs: orDefault(decimalText({ digits: 12, places: 2 }), '0').meta({
    description: 'Costs that are owed too. They bear no interest.',
  }),
  payment_order: orDefault(z.enum(['367', '497']), '367').meta({
    description:
      'How payments are set off: `367` costs, interest, principal (§ 367 Abs. 1 BGB); `497` costs, principal, interest (§ 497 Abs. 3 BGB).',
  }),
}))

export type InterestInput = z.output<typeof InterestInput>

export const InterestRow = namedObject('InterestRow', () => ({
  from: z.iso.date().meta({ description: 'The first day of the row.' }),
  to: z.iso.date().meta({ description: 'The last day of the row; both days bear interest.' }),
  days: z.int().meta({ description: 'The days of the row.' }),
  base_rate: NullableText.meta({ description: 'The base rate in percent; null with a fixed rate.' }),
  rate: Text.meta({ description: 'Percent a year.' }),
  principal: FeeAmount.meta({ description: 'The amount that bears interest in these days.' }),
  amount: FeeAmount.meta({ description: 'Principal × rate × days / days of the year, rounded half up.' }),
  rule: Text.meta({ description: 'The rate with its provision, in German.' }),
  provisional: z.boolean().meta({
    description: 'The base rate of these days is not announced yet: the last known one was used.',
  }),
}))

export type InterestRow = z.infer<typeof InterestRow>

const parts = { costs: FeeAmount, interest: FeeAmount, principal: FeeAmount }

export const InterestPayment = namedObject('InterestPayment', () => ({
  date: z.iso.date().meta({ description: 'The day of the payment.' }),
  amount: FeeAmount,
  ...parts,
}))

export type InterestPayment = z.infer<typeof InterestPayment>

/** The answer of `POST /interest`. */
export const InterestResult = namedObject('InterestResult', () => ({
  rows: z.array(InterestRow).meta({
    description: 'One row for each half-year (each year with a fixed rate), divided by payments.',
  }),
  interest: FeeAmount.meta({ description: 'The sum of the rows.' }),
  open: namedObject('OpenDebt', () => ({ ...parts, total: FeeAmount })).meta({
    description: 'The amount owed at the end of the last day.',
  }),
  payments: z.array(InterestPayment).meta({ description: 'By date, with what each paid.' }),
  convention: Text.meta({ description: 'How days are counted and amounts rounded, in German.' }),
  provisional: z.boolean().meta({ description: 'Whether any row is provisional.' }),
}))

export type InterestResult = z.infer<typeof InterestResult>

/** One entry of `GET /interest/base-rates`. */
export const BaseRate = namedObject('BaseRate', () => ({
  valid_from: z.iso.date().meta({ description: 'The first day of the rate.' }),
  rate: Text.meta({ description: 'Percent a year.' }),
  source: Text.meta({ description: 'The publication that announces the rate.' }),
}))

export type BaseRate = z.infer<typeof BaseRate>

export const BaseRateQuery = lazyObject(() => ({
  limit: pageLimit()
    .optional()
    .meta({ description: 'The most base rates on a page; all of them if omitted.' }),
  cursor: pageQuery.cursor,
}))

export type BaseRateQuery = z.output<typeof BaseRateQuery>
