import type { InvoiceRecord } from './ports.ts'

/** The entries that an invoice bills. A missing, deleted or cancelled invoice bills none. */
export function billedEntries(invoice: InvoiceRecord | undefined): ReadonlySet<string> {
  if (invoice === undefined || invoice.deleted_at !== null || invoice.status === 'cancelled') return new Set()
  return new Set(invoice.lines.flatMap(({ time_entry_id }) => time_entry_id ?? []))
}
