import {
  boolean,
  entity,
  json,
  number,
  oneOf,
  optionalJson,
  optionalText,
  recordKey,
  text,
} from '../entity.ts'

/** An invoice with its lines. A draft that was deleted stays for the audit (G13). */
export const invoiceEntity = entity('invoice', recordKey('${workspace_id}#invoice#${id}'), {
  workspace_id: text,
  id: text,
  /** `R-2026-0001`; absent from a draft. */
  number: optionalText,
  case_id: text,
  party_id: optionalText,
  status: oneOf(['draft', 'issued', 'paid', 'cancelled']),
  invoice_date: text,
  has_given_date: boolean,
  due_date: optionalText,
  service_from: optionalText,
  service_to: optionalText,
  buyer: json,
  buyer_reference: optionalText,
  lines: json,
  taxes: json,
  net: text,
  tax: text,
  gross: text,
  currency: oneOf(['EUR']),
  cancels: optionalText,
  cancelled_by: optionalText,
  issued_at: optionalText,
  paid_at: optionalText,
  created_at: text,
  updated_at: text,
  /** The firm as it was when the invoice was issued. */
  seller: optionalJson,
  deleted_at: optionalText,
  /** Counts the changes of the invoice and of the time entries that it holds, and their releases. */
  version: number,
})
