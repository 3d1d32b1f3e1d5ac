import type * as z from 'zod'
import { eachField } from '#kernel/each-field.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText } from '#kernel/text.ts'

export const addressFields = ['name', 'street', 'postcode', 'city', 'country'] as const

const sellerFields = [
  ...addressFields,
  'vat_id',
  'tax_number',
  'contact_name',
  'phone',
  'email',
  'iban',
] as const

/** The firm as it appears on invoices (X8). Null means not set yet. */
export const Seller = namedObject('Seller', () => eachField(sellerFields, NullableText))

export type Seller = z.infer<typeof Seller>

export const unsetSeller: Seller = eachField(sellerFields, null)

const accounts = [
  'revenue_account_19',
  'revenue_account_7',
  'revenue_account_0',
  'revenue_account_reverse_charge',
  'debtor_account',
] as const

/** The consultant, client and account numbers for the export to DATEV (X8). Null means not set yet. */
export const DatevSettings = namedObject('DatevSettings', () => ({
  consultant: NullableText.meta({ description: 'Beraternummer, 4 to 7 digits.' }),
  client: NullableText.meta({ description: 'Mandantennummer, 1 to 5 digits.' }),
  ...eachField(accounts, NullableText),
}))

export type DatevSettings = z.infer<typeof DatevSettings>

export const unsetDatev: DatevSettings = eachField(['consultant', 'client', ...accounts], null)
