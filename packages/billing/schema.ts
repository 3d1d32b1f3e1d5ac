import * as z from 'zod'
import { InvoiceBasis } from '#fees/rvg-schema.ts'
import { eachField } from '#kernel/each-field.ts'
import { shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'
import { addressFields } from './firm-schema.ts'

const Day = z.iso.date()

/** Euros in an answer: a decimal string with two places, `"1190.00"` or `"-12.50"`. */
const Amount = z.lazy(() => z.string().meta({ description: 'Euros with two places.', examples: ['1190.00'] }))

/** Time that somebody worked on a case (X6). */
export const TimeEntry = namedObject('TimeEntry', () => ({
  id: shownId('timeEntry'),
  case_id: z.uuid(),
  user_id: shownId('user'),
  date: Day,
  minutes: z.int(),
  activity: Text,
  billable: z.boolean(),
  rate: NullableText.meta({ description: 'Euros per hour.' }),
  amount: Amount.nullable().meta({
    description:
      '`0.00` if the entry is not billable; otherwise null without a rate; otherwise minutes / 60 × rate, rounded to the cent. Half a cent is rounded away from zero.',
  }),
  invoice_id: shownId('invoice')
    .nullable()
    .meta({ description: 'The invoice or draft that has this entry.' }),
  created_at: Timestamp,
}))

export type TimeEntry = z.infer<typeof TimeEntry>

export const invoiceStatuses = ['draft', 'issued', 'paid', 'cancelled'] as const

/** The recipient of an invoice (X8). */
export const Buyer = namedObject('Buyer', () => ({
  name: NullableText,
  street: NullableText,
  postcode: NullableText,
  city: NullableText,
  country: NullableText.meta({ description: 'ISO 3166-1 alpha-2, `DE`.' }),
  email: NullableText,
  vat_id: NullableText,
}))

export type Buyer = z.infer<typeof Buyer>

export const noBuyer: Buyer = eachField([...addressFields, 'email', 'vat_id'], null)

export const lineUnits = ['hour', 'piece'] as const

export const InvoiceLine = namedObject('InvoiceLine', () => ({
  text: Text,
  quantity: z.string().meta({ description: 'A decimal with up to four places.' }),
  unit: z.enum(lineUnits),
  unit_price: z.string().meta({ description: 'Euros, up to four places.' }),
  tax_rate: z.string().meta({ description: 'Percent: `"19"`, `"7"`, `"0"`.' }),
  net: Amount.meta({
    description: 'Quantity × unit price, rounded to the cent; half a cent is rounded away from zero.',
  }),
  time_entry_id: shownId('timeEntry').nullable(),
}))

export type InvoiceLine = z.infer<typeof InvoiceLine>

/** Net and tax of one rate (BG-23 of EN 16931). */
export const InvoiceTax = namedObject('InvoiceTax', () => ({ tax_rate: Text, net: Amount, tax: Amount }))

export type InvoiceTax = z.infer<typeof InvoiceTax>

/** An invoice (X7). Of an issued one, only `status`, `paid_at`, `cancelled_by` and `updated_at` change. */
export const Invoice = lazyObject(() => ({
  id: shownId('invoice'),
  number: NullableText.meta({
    description: '`R-2026-0001`. Issuing assigns it, without gaps. Null for a draft.',
  }),
  case_id: z.uuid(),
  party_id: shownId('party').nullable(),
  status: z.enum(invoiceStatuses),
  invoice_date: Day.meta({
    description:
      'If the request gives no date: the day of creation for a draft, the day of issue for an issued invoice.',
  }),
  due_date: Day.nullable(),
  service_from: Day.nullable().meta({
    description:
      'The first day of the services (§ 14 Abs. 4 Nr. 6 UStG). If none is given, issuing sets the first day of the time entries, or the invoice date if there are none, but never a day after a given `service_to`.',
  }),
  service_to: Day.nullable().meta({
    description:
      'The last day of the services. If none is given, issuing sets the last day of the time entries, or the invoice date if there are none, but never a day before a given `service_from`.',
  }),
  buyer: Buyer,
  buyer_reference: NullableText.meta({ description: 'Leitweg-ID or another reference (BT-10).' }),
  lines: z.array(InvoiceLine),
  basis: InvoiceBasis.nullable().meta({
    description:
      'The calculation of fees (`rvg`) from which the first lines were made. Null if there was none, or after `lines` was replaced.',
  }),
  taxes: z.array(InvoiceTax).meta({ description: 'By rate, the highest first.' }),
  net: Amount,
  tax: Amount,
  gross: Amount,
  currency: z.literal('EUR'),
  cancels: NullableText.meta({ description: 'The invoice that this one cancels.' }),
  cancelled_by: shownId('invoice').nullable().meta({ description: 'The invoice that cancels this one.' }),
  issued_at: Timestamp.nullable(),
  paid_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type Invoice = z.infer<typeof Invoice>

/** An invoice as an answer shows it. */
export const ShownInvoice = z.lazy(() =>
  Invoice.unwrap()
    .extend({
      warnings: z.array(Text).meta({
        description:
          'What to check before the invoice is issued, in German: the `seller` of the workspace lacks name, address, or, above 250 EUR, both tax number and VAT id; the recipient has another name than the party has now, or no address; the amount is negative, or a business in another country of the EU pays German tax.',
      }),
    })
    .meta({ id: 'Invoice' }),
)

export type ShownInvoice = z.infer<typeof ShownInvoice>

export const InvoiceSummary = z.lazy(() =>
  Invoice.unwrap().omit({ lines: true, basis: true }).meta({ id: 'InvoiceSummary' }),
)

export type InvoiceSummary = z.infer<typeof InvoiceSummary>
