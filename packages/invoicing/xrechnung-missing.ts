import { hasRightCheckDigits } from '#billing/address-schema.ts'
import { countryCodes } from '#billing/country-schema.ts'
import type { Seller } from '#billing/firm-schema.ts'
import type { Buyer, Invoice } from '#billing/schema.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import { isReverseCharge } from './reverse-charge.ts'

/** The invoice that a cancellation cancels (BG-3). */
export type PrecedingInvoice = Pick<Invoice, 'number' | 'invoice_date'>

/**
 * The API fields that EN 16931 or XRechnung 3.0 requires and that are missing or malformed. Each message says how to
 * set the value.
 */
export function missingForXrechnung(
  invoice: Invoice,
  seller: Seller,
  preceding: PrecedingInvoice | null,
): FailureDetail[] {
  return [
    ...missingOfSeller(seller, isReverseCharge(invoice.taxes, invoice.buyer.vat_id)),
    ...missingOfBuyer(invoice.buyer),
    ...missingOfInvoice(invoice),
    ...(invoice.cancels !== null && preceding === null
      ? [
          {
            path: 'cancels',
            message: 'The number and date of the cancelled invoice (BG-3) are no longer stored.',
          },
        ]
      : []),
  ]
}

function missingOfSeller(seller: Seller, isReversed: boolean): FailureDetail[] {
  const required: [field: keyof Seller, rule: string, format?: Format][] = [
    ['name', 'BT-27'],
    ['postcode', 'BT-38'],
    ['city', 'BT-37'],
    ['country', 'BT-40', countryCode],
    ['contact_name', 'BT-41'],
    ['phone', 'BT-42', phone],
    ['email', 'BT-43, BT-34', email],
    ['iban', 'BT-84', iban],
  ]
  const howToSet = 'Set it with PATCH /api/v1/workspace.'
  return [
    ...required.flatMap(([field, rule, format]) =>
      fault(`seller.${field}`, seller[field], rule, howToSet, format),
    ),
    ...(isBlank(seller.vat_id) && (isReversed || isBlank(seller.tax_number))
      ? [
          {
            path: 'seller.vat_id',
            message: `This is missing${isReversed ? becauseOfReverseCharge : withoutTaxNumber}. ${howToSet}`,
          },
        ]
      : malformed('seller.vat_id', seller.vat_id, 'BT-31', howToSet, vatId)),
  ]
}

const becauseOfReverseCharge =
  '. It is required because the recipient owes the tax (BT-31, § 14a Abs. 1 UStG)'
const withoutTaxNumber = ', and so is `tax_number` (BT-31, BT-32)'

function missingOfBuyer(buyer: Buyer): FailureDetail[] {
  const required: [field: keyof Buyer, rule: string, format?: Format][] = [
    ['name', 'BT-44'],
    ['postcode', 'BT-53'],
    ['city', 'BT-52'],
    ['country', 'BT-55', countryCode],
    ['email', 'BT-49', email],
  ]
  return [
    ...required.flatMap(([field, rule, format]) =>
      fault(`buyer.${field}`, buyer[field], rule, onDraft, format),
    ),
    ...malformed('buyer.vat_id', buyer.vat_id, 'BT-48', onDraft, vatId),
  ]
}

function missingOfInvoice(invoice: Invoice): FailureDetail[] {
  return [
    ...fault('number', invoice.number, 'BT-1', 'POST /api/v1/invoices/{id}/issue sets it.'),
    ...fault('buyer_reference', invoice.buyer_reference, 'BT-10', onDraft),
    ...(invoice.lines.length === 0
      ? [{ path: 'lines', message: `This is missing (BR-16). ${onDraft}` }]
      : []),
    ...invoice.lines.flatMap(({ text }, index) => fault(`lines.${index}.text`, text, 'BT-153', onDraft)),
  ]
}

const onDraft = 'Set it in the draft. An issued invoice never changes: cancel it and issue a new one.'

type Format = { isValid: (value: string) => boolean; expected: string }

const countryCode: Format = {
  // The list of countries in EN 16931 (BR-CL-14, 1.3.16) does not have South Sudan.
  isValid: (value) => countryCodes.has(value) && value !== 'SS',
  expected: 'a country of ISO 3166-1 as two capital letters, such as DE',
}
const phone: Format = {
  isValid: (value) => (value.match(/\d/g) ?? []).length >= 3,
  expected: 'a telephone number with at least three digits',
}
const email: Format = {
  isValid: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
  expected: 'an e-mail address',
}
const vatId: Format = {
  isValid: (value) =>
    /^[A-Z]{2}[A-Z\d+*]{2,13}$/.test(withoutSpaces(value)) && vatPrefixes.has(value.trim().slice(0, 2)),
  expected: 'a VAT id with the letters of its country, such as DE123456789',
}
const iban: Format = { isValid: (value) => isIban(withoutSpaces(value)), expected: 'a valid IBAN' }

/** The first letters of VAT ids: country codes, EL for Greece, and XI for Northern Ireland (BR-CO-09). */
const vatPrefixes: ReadonlySet<string> = new Set([...countryCodes, 'EL', 'XI'])

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')

function fault(
  path: string,
  value: string | null,
  rule: string,
  howToSet: string,
  format?: Format,
): FailureDetail[] {
  if (isBlank(value)) return [{ path, message: `This is missing (${rule}). ${howToSet}` }]
  return format === undefined ? [] : malformed(path, value, rule, howToSet, format)
}

function malformed(
  path: string,
  value: string | null,
  rule: string,
  howToSet: string,
  format: Format,
): FailureDetail[] {
  if (value === null || isBlank(value) || format.isValid(value)) return []
  return [{ path, message: `This must be ${format.expected} (${rule}). ${howToSet}` }]
}

function isBlank(value: string | null): boolean {
  return value === null || value.trim() === ''
}

function isIban(value: string): boolean {
  return /^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(value) && hasRightCheckDigits(value)
}
