import type { InvoiceRecord } from '#billing/ports.ts'
import { boolean, entity, jsonOf, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/** An invoice with its lines. A draft that was deleted stays for the audit (G13). */
export const invoiceEntity = entity('invoice', recordKey('${workspace_id}#invoice#${id}'), {
  /** `R-2026-0001`; absent from a draft. */
  number: nullable(text),
  case_id: text,
  party_id: nullable(text),
  status: oneOf(['draft', 'issued', 'paid', 'cancelled']),
  invoice_date: text,
  has_given_date: boolean,
  due_date: nullable(text),
  service_from: nullable(text),
  service_to: nullable(text),
  buyer: jsonOf<InvoiceRecord['buyer']>(),
  buyer_reference: nullable(text),
  lines: jsonOf<InvoiceRecord['lines']>(),
  /** The calculation of fees that lines were made from. Items of older releases do not have it. */
  basis: nullable(jsonOf<InvoiceRecord['basis'] & object>()),
  taxes: jsonOf<InvoiceRecord['taxes']>(),
  net: text,
  tax: text,
  gross: text,
  currency: oneOf(['EUR']),
  cancels: nullable(text),
  cancelled_by: nullable(text),
  issued_at: nullable(text),
  paid_at: nullable(text),
  created_at: text,
  updated_at: text,
  /** The firm as it was when the invoice was issued. */
  seller: nullable(jsonOf<InvoiceRecord['seller'] & object>()),
  deleted_at: nullable(text),
  /** Counts the changes of the invoice, and the changes and releases of time entries that a draft holds. */
  version: number,
})
