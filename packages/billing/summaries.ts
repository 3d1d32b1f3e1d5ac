import type { Invoice } from './schema.ts'

/** What the timeline of a case says of an invoice, in German (X7). */
export const summaries = {
  issued: (invoice: Numbered) => `Rechnung ${invoice.number} über ${euros(invoice.gross)} gestellt`,
  paid: (invoice: Numbered) => `Rechnung ${invoice.number} über ${euros(invoice.gross)} bezahlt`,
  cancelled: (invoice: Numbered, by: Numbered) => `Rechnung ${invoice.number} storniert durch ${by.number}`,
}

type Numbered = Pick<Invoice, 'number' | 'gross'>

/** `-1.234,50 €`, without the tables of a locale, which take a new function long to load. */
function euros(amount: string): string {
  const [whole = '', cents = ''] = amount.split('.')
  return `${whole.replace(/\B(?=(\d{3}){1,9}$)/g, '.')},${cents} €`
}
