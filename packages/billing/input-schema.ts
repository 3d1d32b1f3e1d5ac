import * as z from 'zod'
import { RvgInput, vatRate } from '#fees/rvg-schema.ts'
import { calendarDay } from '#german-time/time-range.ts'
import { decimalText } from '#kernel/decimal.ts'
import { idFilter, idOf } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orCleared, orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { emailText, line, visibleText } from '#kernel/text.ts'
import { vatId } from './address-schema.ts'
import { countryCode } from './country-schema.ts'
import { invoiceStatuses, lineUnits } from './schema.ts'

export const maxLines = 500

const day = z.lazy(calendarDay)

/** The filter of a list by day: both days are included. */
const days = { date_from: day.optional(), date_to: day.optional() }

/** Euros per hour. */
const rate = z.lazy(() => decimalText({ digits: 7, places: 4 }))

/** Euros. Large enough for a day at the highest rate, since a line may bill a whole time entry as one piece. */
const unitPrice = z.lazy(() => decimalText({ digits: 9, places: 4 }))

const minutes = z.lazy(() => z.int('A whole number from 1 to 1440.').gte(1).lte(1440))
const activity = z.lazy(() => visibleText(2_000))

export const TimeEntryInput = namedObject('TimeEntryInput', () => ({
  case_id: idOf('case'),
  user_id: idOf('user').nullish().meta({ description: 'The user who did the work. If omitted, the caller.' }),
  date: day,
  minutes,
  activity,
  billable: orDefault(z.boolean(), true),
  rate: rate.nullable().default(null).meta({ description: 'Euros per hour.' }),
}))

export type TimeEntryInput = z.output<typeof TimeEntryInput>

/** A field that the request omits keeps its value. Null clears it, as in a new entry. */
export const TimeEntryChanges = namedObject('TimeEntryChanges', () => ({
  case_id: idOf('case').optional(),
  user_id: idOf('user').nullish().meta({ description: 'The user who did the work. Null: the caller.' }),
  date: day.optional(),
  minutes: minutes.optional(),
  activity: activity.optional(),
  billable: orCleared(z.boolean(), true).meta({
    description: 'Whether the client pays for it. Null: `true`.',
  }),
  rate: rate.nullish(),
}))

export type TimeEntryChanges = z.output<typeof TimeEntryChanges>

const flag = z.lazy(() => z.enum(['true', 'false']).transform((value) => value === 'true'))

export const TimeEntryQuery = lazyObject(() => ({
  ...pageQuery,
  ...days,
  user_id: idFilter('user').optional(),
  case_id: idFilter('case').optional(),
  billable: flag.optional(),
}))

export type TimeEntryQuery = z.output<typeof TimeEntryQuery>

/** The recipient of an invoice. An omitted field keeps its value. Null clears it; a party then gives name and e-mail. */
export const BuyerInput = namedObject('BuyerInput', () => ({
  name: line(500).nullish(),
  street: line(500).nullish(),
  postcode: line(20).nullish(),
  city: line(200).nullish(),
  country: countryCode.nullish(),
  email: emailText().nullish(),
  vat_id: vatId.nullish(),
}))

export type BuyerInput = z.output<typeof BuyerInput>

/** A line of a draft. If it names a time entry, missing fields come from the time entry. */
export const InvoiceLineInput = namedObject('InvoiceLineInput', () => ({
  text: visibleText(2_000).nullish().meta({ description: 'Required without a time entry.' }),
  quantity: decimalText({ digits: 6, places: 4, signed: true }).nullish().meta({
    description:
      'If omitted: the hours of the time entry, or `"1"` without a time entry. Negative for a deduction: a discount is a line with quantity `"-1"`.',
  }),
  unit: z.enum(lineUnits).nullish().meta({
    description:
      'If omitted: `hour` if the hours or the rate come from the time entry, otherwise `piece`. A line that bills the amount of the time entry is always one `piece`.',
  }),
  unit_price: unitPrice.nullish().meta({
    description:
      'Euros. Required unless the line names a time entry with a rate. Never negative (EN 16931, BR-27).',
  }),
  tax_rate: orDefault(vatRate, '19').meta({ description: 'Percent: `"19"` (default), `"7"` or `"0"`.' }),
  time_entry_id: idOf('timeEntry').nullable().default(null),
}))

export type InvoiceLineInput = z.output<typeof InvoiceLineInput>

const lines = z.lazy(() => z.array(InvoiceLineInput).max(maxLines, `At most ${maxLines} lines.`))
const reference = z.lazy(() => line(200))

const dates = {
  invoice_date: day.nullish().meta({
    description:
      'In a new draft: if omitted or null, issuing sets the day of issue. In a change: only null does.',
  }),
  due_date: day.nullish(),
  service_from: day.nullish().meta({ description: 'The first day of the services.' }),
  service_to: day.nullish().meta({ description: 'The last day of the services.' }),
}

export const InvoiceInput = namedObject('InvoiceInput', () => ({
  case_id: idOf('case'),
  party_id: idOf('party').nullable().default(null),
  ...dates,
  buyer: BuyerInput.nullish().meta({
    description: 'If name or e-mail address is omitted, it comes from the party.',
  }),
  buyer_reference: reference.nullable().default(null),
  lines: orDefault(lines, []),
  rvg: RvgInput.nullish().meta({
    description:
      'A calculation of fees, as in `POST /fees/rvg`. Its fees become the first lines of the invoice, before `lines`. The invoice keeps the calculation as `basis`.',
  }),
}))

export type InvoiceInput = z.output<typeof InvoiceInput>

/** A field that the request omits keeps its value. `lines` replaces all lines; null removes them. */
export const InvoiceChanges = namedObject('InvoiceChanges', () => ({
  case_id: idOf('case').optional(),
  party_id: idOf('party').nullish(),
  ...dates,
  buyer: BuyerInput.nullish(),
  buyer_reference: reference.nullish(),
  lines: orCleared(lines, []),
}))

export type InvoiceChanges = z.output<typeof InvoiceChanges>

export const InvoiceQuery = lazyObject(() => ({
  ...pageQuery,
  ...days,
  status: z.enum(invoiceStatuses).optional(),
  case_id: idFilter('case').optional(),
  party_id: idFilter('party').optional(),
}))

export type InvoiceQuery = z.output<typeof InvoiceQuery>
