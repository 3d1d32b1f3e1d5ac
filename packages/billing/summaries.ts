import { germanDecimal } from '#kernel/decimal.ts'
import type { Invoice } from './schema.ts'

/** The texts about an invoice in the timeline of its case, in German (X7). */
export const summaries = {
  issued: (invoice: Numbered) => `Rechnung ${invoice.number} über ${germanDecimal(invoice.gross)} € gestellt`,
  paid: (invoice: Numbered) => {
    // Of a cancellation, or a final invoice after higher advance payments, the firm returns the amount.
    const isReturned = invoice.gross.startsWith('-')
    return isReturned
      ? `Betrag der Rechnung ${invoice.number} erstattet: ${germanDecimal(invoice.gross.slice(1))} €`
      : `Rechnung ${invoice.number} über ${germanDecimal(invoice.gross)} € bezahlt`
  },
  cancelled: (invoice: Numbered, by: Numbered) => `Rechnung ${invoice.number} storniert durch ${by.number}`,
}

type Numbered = Pick<Invoice, 'number' | 'gross'>
