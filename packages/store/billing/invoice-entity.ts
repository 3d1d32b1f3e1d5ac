import {
  boolean,
  entity,
  json,
  nullableJson,
  nullableText,
  number,
  oneOf,
  recordKey,
  text,
} from '../entity.ts'

/** An invoice with its lines. A draft that was deleted stays for the audit (G13). */
export const invoiceEntity = entity('invoice', recordKey('${workspace_id}#invoice#${id}'), {
  workspace_id: text,
  id: text,
  /** `R-2026-0001`; absent from a draft. */
  number: nullableText,
  case_id: text,
  party_id: nullableText,
  status: oneOf(['draft', 'issued', 'paid', 'cancelled']),
  invoice_date: text,
  has_given_date: boolean,
  due_date: nullableText,
  service_from: nullableText,
  service_to: nullableText,
  buyer: json,
  buyer_reference: nullableText,
  lines: json,
  /** The calculation of fees that lines were made from; absent from invoices without one, and from older ones. */
  basis: nullableJson,
  taxes: json,
  net: text,
  tax: text,
  gross: text,
  currency: oneOf(['EUR']),
  cancels: nullableText,
  cancelled_by: nullableText,
  issued_at: nullableText,
  paid_at: nullableText,
  created_at: text,
  updated_at: text,
  /** The firm as it was when the invoice was issued. */
  seller: nullableJson,
  deleted_at: nullableText,
  /** Counts the changes of the invoice and of the time entries that it holds, and their releases. */
  version: number,
})
