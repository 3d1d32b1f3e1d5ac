import { decimal } from '#kernel/decimal.ts'
import { isVatIdOfOtherCountry } from './address-schema.ts'
import type { Seller } from './firm-schema.ts'
import type { Buyer, Invoice, ShownInvoice } from './schema.ts'

/**
 * The invoice as an answer shows it, with German warnings about what issuing does not refuse.
 *
 * @param seller the firm as the invoice shows it (`sellerOf`)
 * @param party the current party of a draft. It may have another name than the draft, which keeps the earlier one.
 */
export function shownInvoice(invoice: Invoice, seller: Seller, party?: { name: string }): ShownInvoice {
  return { ...invoice, warnings: warningsOf(invoice, seller, party) }
}

/** Up to this amount an invoice needs no recipient, and no number of the firm for taxes (§ 33 UStDV). */
const smallAmount = 250

function warningsOf(
  { status, cancels, gross, tax, buyer }: Invoice,
  seller: Seller,
  party: { name: string } | undefined,
): string[] {
  if (cancels !== null || status === 'cancelled') return []
  const isSmall = decimal(gross).lte(smallAmount)
  const missing = [
    seller.name === null && 'Name',
    !hasAddress(seller) && 'Anschrift',
    seller.tax_number === null && seller.vat_id === null && !isSmall && 'Steuernummer oder USt-IdNr',
  ].filter((field) => field !== false)
  const warnings = [
    missing.length > 0 &&
      `Es fehlen Angaben der Kanzlei: ${missing.join(', ')}. Eine Rechnung muss sie nennen (§ 14 Abs. 4 Satz 1 Nr. 1 und 2 UStG, § 33 UStDV). Ergänzen Sie sie in den Einstellungen.`,
    party !== undefined &&
      buyer.name !== null &&
      buyer.name !== party.name &&
      `Der Empfänger heißt in der Rechnung „${buyer.name}“, der Beteiligte aber „${party.name}“. Die Rechnung muss nennen, wem die Leistung erbracht wurde (§ 14 Abs. 4 Satz 1 Nr. 1 UStG).`,
    !hasAddress(buyer) &&
      !isSmall &&
      'Die Anschrift des Empfängers fehlt. Eine Rechnung über mehr als 250 € muss sie nennen (§ 14 Abs. 4 Satz 1 Nr. 1 UStG, § 33 UStDV).',
    isVatIdOfOtherCountry(buyer.vat_id) &&
      !decimal(tax).eq(0) &&
      'Die USt-IdNr. des Empfängers ist die eines anderen EU-Staats, aber die Rechnung weist deutsche Umsatzsteuer aus. Ein Unternehmer schuldet dort die Steuer meist selbst (§ 3a Abs. 2 UStG).',
    decimal(gross).lt(0) &&
      'Der Rechnungsbetrag ist negativ. Um eine ausgestellte Rechnung rückgängig zu machen, stornieren Sie sie.',
  ]
  return warnings.filter((warning) => warning !== false)
}

function hasAddress({ street, postcode, city }: Pick<Buyer, 'street' | 'postcode' | 'city'>): boolean {
  return city !== null && (street !== null || postcode !== null)
}
