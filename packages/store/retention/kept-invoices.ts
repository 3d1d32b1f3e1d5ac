import type { InvoiceRecord } from '#billing/ports.ts'
import { localDateOf } from '#german-time/local-time.ts'

/** For how many calendar years an invoice is kept after its own (§ 147 Abs. 3 AO, § 14b Abs. 1 UStG). */
const keptYears = 8

/**
 * The last day on which an invoice must be kept; null for a draft, which was never issued.
 *
 * @param timeZone the firm's: it decides in which year the invoice was issued
 */
export function invoiceKeptUntil(
  { issued_at, invoice_date }: Pick<InvoiceRecord, 'issued_at' | 'invoice_date'>,
  timeZone: string,
): string | null {
  if (issued_at === null) return null
  const issued = localDateOf(new Date(issued_at), timeZone)
  const years = [issued, invoice_date].map((day) => Number(day.slice(0, 4)))
  // Days are compared as texts, so a year has four digits.
  return `${Math.min(9_999, Math.max(...years) + keptYears)}-12-31`
}
