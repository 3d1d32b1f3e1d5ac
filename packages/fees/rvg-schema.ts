import * as z from 'zod'
import { decimal, decimalText } from '#kernel/decimal.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { NullableText, Text } from '#kernel/text.ts'

/** Euros above zero in an input, with at most two places. */
export const positiveAmount = z.lazy(() =>
  decimalText({ digits: 12, places: 2 }).refine((given) => !decimal(given).eq(0), 'More than 0.'),
)

/** A rate of a fee, `"1.3"`. */
const rate = z.lazy(() => decimalText({ digits: 2, places: 4 }))

/** The days that a calculation accepts: from the first table until 2099. */
export const feeDay = z.lazy(() =>
  z.iso
    .date({ error: 'A calendar date, as YYYY-MM-DD.', abort: true })
    .refine((day) => day >= '2013-08-01', 'The tables begin on 2013-08-01.')
    .refine((day) => day <= '2099-12-31', 'Until 2099-12-31.'),
)

/** The rates of German value added tax (§ 12 UStG), and zero. In percent. */
export const vatRates = ['19', '7', '0'] as const

export const vatRate = z.lazy(() =>
  decimalText({ digits: 3, places: 2 })
    .transform((given) => decimal(given).toFixed())
    .pipe(z.enum(vatRates, `One of ${vatRates.join(', ')}.`))
    .meta({ pattern: '^(19|7|0)(\\.0{1,2})?$' }),
)

/** A number of the Vergütungsverzeichnis. */
const vv = z.lazy(() => z.string().regex(/^\d{4}$/, 'Four digits, such as "3100".'))

export const clientCount = z.lazy(() => z.int().gte(1, 'At least 1.').lte(1_000, 'At most 1000.'))

const RvgFeeInput = namedObject('RvgFeeInput', () => ({
  vv: vv.meta({ description: 'The number of the Vergütungsverzeichnis, `3100`.' }),
  rate: rate.nullish().meta({
    description: 'The usual rate if omitted. Required for numbers that have none, such as 2100.',
  }),
  value: positiveAmount
    .nullish()
    .meta({ description: 'The value of a part of the matter; the value of the whole matter if omitted.' }),
  clients: clientCount.nullish().meta({ description: 'How many clients, if not as many as in the matter.' }),
}))

export type RvgFeeInput = z.output<typeof RvgFeeInput>

const CreditInput = namedObject('RvgCreditInput', () => ({
  vv: vv.meta({ description: 'The fee that arose before, such as `2300`.' }),
  rate: rate.meta({ description: 'The rate with which it arose.' }),
  value: positiveAmount.nullish().meta({
    description: 'The part of its value that is also the object of this matter; all of it if omitted.',
  }),
  ordered_on: feeDay.nullish().meta({
    description: 'The day of its order, if it differs. It decides which table applies to the credit.',
  }),
}))

export type CreditInput = z.output<typeof CreditInput>

const ExpenseInput = namedObject('RvgExpenseInput', () => ({
  vv: vv.meta({ description: 'A number of Teil 7 of the Vergütungsverzeichnis, `7002`.' }),
  pages: z
    .int()
    .gte(1, 'At least 1.')
    .lte(1_000_000, 'At most 1000000.')
    .nullish()
    .meta({ description: 'For Nr. 7000: pages in black and white.' }),
  kilometres: decimalText({ digits: 6, places: 2 })
    .nullish()
    .meta({ description: 'For Nr. 7003: the distance.' }),
  hours: decimalText({ digits: 2, places: 2 }).nullish().meta({
    description: 'For Nr. 7005: the hours of one day.',
  }),
  amount: positiveAmount.nullish().meta({ description: 'For Nr. 7001, 7004, 7006 and 7007, net.' }),
}))

export type ExpenseInput = z.output<typeof ExpenseInput>

/** The body of `POST /fees/rvg` (V2, V8). */
export const RvgInput = namedObject('RvgInput', () => ({
  value: positiveAmount.meta({ description: 'The value of the matter (Gegenstandswert), euros.' }),
  ordered_on: feeDay.meta({
    description: 'The day of the unconditional order. It decides which table applies (§ 60 RVG).',
  }),
  legal_aid: orDefault(z.boolean(), false).meta({
    description: 'Prozesskostenhilfe: above 4,000 euros the table of § 49 RVG applies.',
  }),
  clients: orDefault(clientCount, 1).meta({
    description: 'How many clients have the same object (Gegenstand): Nr. 1008 VV RVG.',
  }),
  client_values: z
    .array(positiveAmount)
    .min(2, 'At least two clients.')
    .max(1_000, 'At most 1000 clients.')
    .nullish()
    .meta({
      description:
        'The values of several clients with different objects; `value` is their sum. Each counts up to 30 million, all up to 100 million (§ 22 Abs. 2 Satz 2 RVG).',
    }),
  fees: z
    .array(RvgFeeInput)
    .min(1, 'At least one fee.')
    .max(50, 'At most 50 fees.')
    .meta({ description: 'The fees of one matter (Angelegenheit).' }),
  credited: orDefault(z.array(CreditInput).max(20, 'At most 20.'), []).meta({
    description:
      'Earlier fees that are credited here, in the order in which they arose. Of several Geschäftsgebühren for the same object the last one counts (Vorbem. 3 Abs. 4 VV RVG). Fees for parts each name their `value`: § 15a Abs. 2 RVG limits their sum.',
  }),
  expenses: orDefault(z.array(ExpenseInput).max(50, 'At most 50 expenses.'), []).meta({
    description: 'Teil 7 VV RVG. The flat charge Nr. 7002 is charged only if it is named here.',
  }),
  vat_rate: orDefault(vatRate, '19').meta({ description: 'Percent (Nr. 7008 VV RVG); `"19"` if omitted.' }),
}))

export type RvgInput = z.output<typeof RvgInput>

/** Euros in an answer. */
export const FeeAmount = z.lazy(() => z.string().meta({ description: 'Euros with two places.' }))

/** The description of `checked_until` (V7). */
export const checkedUntil =
  'The date of the statute text that the figures of the table were compared with. Look for later changes of the law yourself.'

export const RvgLine = namedObject('RvgLine', () => ({
  vv: NullableText.meta({ description: 'The number of the fee; null for a limit (§ 15 Abs. 3 RVG).' }),
  number: Text.meta({ description: '`Nr. 3100 VV RVG`' }),
  name: Text,
  value: FeeAmount.nullable().meta({
    description: 'The value from which the fee is calculated; null for expenses.',
  }),
  rate: NullableText.meta({ description: 'The rate of the fee; null for expenses and Nr. 1009.' }),
  amount: FeeAmount.meta({ description: 'Euros; negative for what is credited.' }),
  rule: Text.meta({ description: 'How the amount was calculated, in German.' }),
  table: NullableText.meta({ description: 'The version of the table.' }),
  checked_until: z.iso.date().nullish().meta({ description: checkedUntil }),
}))

export type RvgLine = z.infer<typeof RvgLine>

/** The answer of `POST /fees/rvg`. */
export const RvgResult = namedObject('RvgResult', () => ({
  lines: z.array(RvgLine).meta({ description: 'Fees, their credits and limits, and expenses.' }),
  net: FeeAmount,
  vat_rate: Text.meta({ description: 'Percent (Nr. 7008 VV RVG).' }),
  vat: FeeAmount.meta({ description: 'The value added tax.' }),
  gross: FeeAmount,
  warnings: z.array(Text).meta({ description: 'Points to check, in German.' }),
  provisional: z.boolean().meta({
    description: 'The decisive day is in the future: the law may change until then.',
  }),
}))

export type RvgResult = z.infer<typeof RvgResult>

const shownVv = Text.meta({ description: 'The number of the Vergütungsverzeichnis.' })

/** The request of a stored calculation. A field is null if it was not given. */
const RvgRequest = namedObject('RvgRequest', () => ({
  value: Text.meta({ description: 'The value of the matter, euros.' }),
  ordered_on: z.iso.date().meta({ description: 'The day of the unconditional order.' }),
  legal_aid: z
    .boolean()
    .meta({ description: 'Prozesskostenhilfe: above 4,000 euros the table of § 49 RVG applies.' }),
  clients: z.int().meta({ description: 'Nr. 1008 VV RVG.' }),
  client_values: z.array(Text).nullish().meta({ description: 'Euros of each client (§ 22 Abs. 2 RVG).' }),
  fees: z
    .array(
      z.object({
        vv: shownVv,
        rate: NullableText.meta({ description: 'The rate of the fee.' }),
        value: NullableText.meta({ description: 'Euros.' }),
        clients: z.int().nullable().meta({ description: 'Nr. 1008 VV RVG.' }),
      }),
    )
    .meta({ description: 'The fees.' }),
  credited: z
    .array(
      z.object({
        vv: shownVv,
        rate: Text.meta({ description: 'The rate of the fee.' }),
        value: NullableText.meta({ description: 'Euros.' }),
        ordered_on: z.iso.date().nullish().meta({ description: 'The day of its order.' }),
      }),
    )
    .meta({ description: 'Earlier fees that are credited.' }),
  expenses: z
    .array(
      z.object({
        vv: shownVv,
        pages: z.int().nullable().meta({ description: 'For Nr. 7000: the pages.' }),
        kilometres: NullableText.meta({ description: 'For Nr. 7003: the distance.' }),
        hours: NullableText.meta({ description: 'For Nr. 7005: the hours.' }),
        amount: NullableText.meta({ description: 'Euros.' }),
      }),
    )
    .meta({ description: 'Teil 7 VV RVG.' }),
  vat_rate: Text.meta({ description: 'Percent.' }),
}))

/** The calculation from which an invoice was made (V6). */
export const InvoiceBasis = namedObject('InvoiceBasis', () => ({
  request: RvgRequest.meta({ description: 'The request of the calculation.' }),
  result: RvgResult.meta({ description: 'The result of the calculation.' }),
}))

export type InvoiceBasis = z.infer<typeof InvoiceBasis>
