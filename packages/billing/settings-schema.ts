import * as z from 'zod'
import { namedObject } from '#kernel/lazy-object.ts'
import { emailText, line, text } from '#kernel/text.ts'
import { iban, vatId } from './address-schema.ts'
import { countryCode } from './country-schema.ts'

/** Changes of the firm's details on invoices (X8). A field that the request omits keeps its value. Null clears it. */
export const SellerChanges = namedObject('SellerChanges', () => ({
  name: line(500).nullish(),
  street: line(500).nullish(),
  postcode: line(20).nullish(),
  city: line(200).nullish(),
  country: countryCode.nullish(),
  vat_id: vatId.nullish(),
  tax_number: digits(
    /^(?=(\D*\d){10,13}\D*$)[\d/ ]+$/,
    'A Steuernummer of 10 to 13 digits, such as 12/345/67890.',
  ).nullish(),
  contact_name: line(500).nullish(),
  phone: line(100)
    .refine(
      (value) => (value.match(/\d/g) ?? []).length >= 3,
      'A telephone number with at least three digits.',
    )
    .nullish(),
  email: emailText().nullish(),
  iban: iban.nullish(),
}))

export type SellerChanges = z.output<typeof SellerChanges>

const ledgerAccount = z.lazy(() => digits(/^[1-9]\d{3,7}$/, 'An account number of 4 to 8 digits.'))

/** Changes of the numbers for DATEV (X8). A field that the request omits keeps its value. Null clears it. */
export const DatevChanges = namedObject('DatevChanges', () => ({
  consultant: digits(/^[1-9]\d{3,6}$/, 'A Beraternummer of 4 to 7 digits.').nullish(),
  client: digits(/^[1-9]\d{0,4}$/, 'A Mandantennummer of 1 to 5 digits.').nullish(),
  revenue_account_19: ledgerAccount.nullish(),
  revenue_account_7: ledgerAccount.nullish(),
  revenue_account_0: ledgerAccount.nullish(),
  revenue_account_reverse_charge: ledgerAccount.nullish(),
  debtor_account: digits(/^[1-9]\d{3,8}$/, 'An account number of 4 to 9 digits.').nullish(),
}))

export type DatevChanges = z.output<typeof DatevChanges>

function digits(form: RegExp, message: string) {
  return text(30).regex(form, message)
}
