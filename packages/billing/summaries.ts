import type { Invoice } from './schema.ts'

/** The texts about an invoice in the timeline of its case, in German (X7). */
export const summaries = {
  issued: (invoice: Numbered) => `Rechnung ${invoice.number} über ${euros(invoice.gross)} gestellt`,
  paid: (invoice: Numbered) => `Rechnung ${invoice.number} über ${euros(invoice.gross)} bezahlt`,
  cancelled: (invoice: Numbered, by: Numbered) => `Rechnung ${invoice.number} storniert durch ${by.number}`,
}

type Numbered = Pick<Invoice, 'number' | 'gross'>

/** `-1.234,50 €`, without the tables of a locale, which slow down a cold start. */
function euros(amount: string): string {
  const [whole = '', cents = ''] = amount.split('.')
  return `${whole.replace(/\B(?=(\d{3}){1,9}$)/g, '.')},${cents} €`
}
