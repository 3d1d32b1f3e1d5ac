import { germanDecimal } from '#kernel/decimal.ts'
import type { Invoice } from './schema.ts'

/** The texts about an invoice in the timeline of its case, in German (X7). */
export const summaries = {
  issued: (invoice: Numbered) => `Rechnung ${invoice.number} über ${germanDecimal(invoice.gross)} € gestellt`,
  paid: (invoice: Numbered) => `Rechnung ${invoice.number} über ${germanDecimal(invoice.gross)} € bezahlt`,
  cancelled: (invoice: Numbered, by: Numbered) => `Rechnung ${invoice.number} storniert durch ${by.number}`,
}

type Numbered = Pick<Invoice, 'number' | 'gross'>
