import type * as z from 'zod'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText } from '#kernel/text.ts'

/** The firm as it appears on invoices (X8). Null means not set yet. */
export const Seller = namedObject('Seller', () => ({
  name: NullableText,
  street: NullableText,
  postcode: NullableText,
  city: NullableText,
  country: NullableText,
  vat_id: NullableText,
  tax_number: NullableText,
  contact_name: NullableText,
  phone: NullableText,
  email: NullableText,
  iban: NullableText,
}))

export type Seller = z.infer<typeof Seller>

export const unsetSeller: Seller = {
  name: null,
  street: null,
  postcode: null,
  city: null,
  country: null,
  vat_id: null,
  tax_number: null,
  contact_name: null,
  phone: null,
  email: null,
  iban: null,
}

/** The consultant, client and account numbers for the export to DATEV (X8). Null means not set yet. */
export const DatevSettings = namedObject('DatevSettings', () => ({
  consultant: NullableText.meta({ description: 'Beraternummer, 4 to 7 digits.' }),
  client: NullableText.meta({ description: 'Mandantennummer, 1 to 5 digits.' }),
  revenue_account_19: NullableText,
  revenue_account_7: NullableText,
  revenue_account_0: NullableText,
  revenue_account_reverse_charge: NullableText,
  debtor_account: NullableText,
}))

export type DatevSettings = z.infer<typeof DatevSettings>

export const unsetDatev: DatevSettings = {
  consultant: null,
  client: null,
  revenue_account_19: null,
  revenue_account_7: null,
  revenue_account_0: null,
  revenue_account_reverse_charge: null,
  debtor_account: null,
}
