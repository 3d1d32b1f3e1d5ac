import { hasRightCheckDigits } from '#billing/address-schema.ts'
import { countryCodes } from '#billing/country-schema.ts'
import type { Seller } from '#billing/firm-schema.ts'
import type { Buyer, Invoice } from '#billing/schema.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import { isReverseCharge } from './reverse-charge.ts'

/** The invoice that a cancellation cancels (BG-3). */
export type PrecedingInvoice = Pick<Invoice, 'number' | 'invoice_date'>

/**
 * The API fields that EN 16931 or XRechnung 3.0 requires and that are missing or malformed. Each message says where the
 * value is set.
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
      ? [{ path: 'cancels', message: 'Its number and date (BG-3) are not stored any more.' }]
      : []),
  ]
}

function missingOfSeller(seller: Seller, isReversed: boolean): FailureDetail[] {
  const wanted: [field: keyof Seller, rule: string, form?: Form][] = [
    ['name', 'BT-27'],
    ['postcode', 'BT-38'],
    ['city', 'BT-37'],
    ['country', 'BT-40', countryCode],
    ['contact_name', 'BT-41'],
    ['phone', 'BT-42', phone],
    ['email', 'BT-43, BT-34', email],
    ['iban', 'BT-84', iban],
  ]
  const where = 'Set it with PATCH /api/v1/workspace.'
  return [
    ...wanted.flatMap(([field, rule, form]) => fault(`seller.${field}`, seller[field], rule, where, form)),
    ...(isBlank(seller.vat_id) && (isReversed || isBlank(seller.tax_number))
      ? [
          {
            path: 'seller.vat_id',
            message: `This is missing${isReversed ? ofReversed : ofNeither}. ${where}`,
          },
        ]
      : malformed('seller.vat_id', seller.vat_id, 'BT-31', where, vatId)),
  ]
}

const ofReversed = ': the recipient owes the tax (BT-31, § 14a Abs. 1 UStG)'
const ofNeither = ', and so is `tax_number` (BT-31, BT-32)'

function missingOfBuyer(buyer: Buyer): FailureDetail[] {
  const wanted: [field: keyof Buyer, rule: string, form?: Form][] = [
    ['name', 'BT-44'],
    ['postcode', 'BT-53'],
    ['city', 'BT-52'],
    ['country', 'BT-55', countryCode],
    ['email', 'BT-49', email],
  ]
  return [
    ...wanted.flatMap(([field, rule, form]) => fault(`buyer.${field}`, buyer[field], rule, onDraft, form)),
    ...malformed('buyer.vat_id', buyer.vat_id, 'BT-48', onDraft, vatId),
  ]
}

function missingOfInvoice(invoice: Invoice): FailureDetail[] {
  return [
    ...fault('number', invoice.number, 'BT-1', 'POST /api/v1/invoices/{id}/issue sets it.'),
    ...fault('buyer_reference', invoice.buyer_reference, 'BT-10', onDraft),
    ...(invoice.lines.length === 0
      ? [{ path: 'lines', message: `This has no line (BR-16). ${onDraft}` }]
      : []),
    ...invoice.lines.flatMap(({ text }, index) => fault(`lines.${index}.text`, text, 'BT-153', onDraft)),
  ]
}

const onDraft = 'Set it in the draft. An issued invoice never changes: cancel it and issue a new one.'

type Form = { isRight: (value: string) => boolean; wanted: string }

const countryCode: Form = {
  // The list of EN 16931 (BR-CL-14, 1.3.16) does not have South Sudan.
  isRight: (value) => countryCodes.has(value) && value !== 'SS',
  wanted: 'a country of ISO 3166-1 as two capital letters, such as DE',
}
const phone: Form = {
  isRight: (value) => (value.match(/\d/g) ?? []).length >= 3,
  wanted: 'at least three digits',
}
const email: Form = { isRight: (value) => /^[^@\s]+@[^@\s]+$/.test(value), wanted: 'an e-mail address' }
const vatId: Form = {
  isRight: (value) =>
    /^[A-Z]{2}[A-Z\d+*]{2,13}$/.test(withoutSpaces(value)) && vatPrefixes.has(value.trim().slice(0, 2)),
  wanted: 'the letters of the country and the number, such as DE123456789',
}
const iban: Form = { isRight: (value) => isIban(withoutSpaces(value)), wanted: 'a valid IBAN' }

/** VAT ids of Greece begin with EL, of Northern Ireland with XI (BR-CO-09). */
const vatPrefixes: ReadonlySet<string> = new Set([...countryCodes, 'EL', 'XI'])

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')

function fault(
  path: string,
  value: string | null,
  rule: string,
  where: string,
  form?: Form,
): FailureDetail[] {
  if (isBlank(value)) return [{ path, message: `This is missing (${rule}). ${where}` }]
  return form === undefined ? [] : malformed(path, value, rule, where, form)
}

function malformed(
  path: string,
  value: string | null,
  rule: string,
  where: string,
  form: Form,
): FailureDetail[] {
  if (value === null || isBlank(value) || form.isRight(value)) return []
  return [{ path, message: `This must be ${form.wanted} (${rule}). ${where}` }]
}

function isBlank(value: string | null): boolean {
  return value === null || value.trim() === ''
}

function isIban(value: string): boolean {
  return /^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(value) && hasRightCheckDigits(value)
}
