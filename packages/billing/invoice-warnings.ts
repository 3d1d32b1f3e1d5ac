import { decimal } from '#kernel/decimal.ts'
import { isVatIdOfOtherCountry } from './address-schema.ts'
import type { Invoice, ShownInvoice } from './schema.ts'

/**
 * The invoice as an answer shows it, with German warnings about what issuing does not refuse.
 *
 * @param party the current party of a draft. It may have another name than the draft, which keeps the earlier one.
 */
export function shownInvoice(invoice: Invoice, party?: { name: string }): ShownInvoice {
  return { ...invoice, warnings: warningsOf(invoice, party) }
}

/** Up to this amount an invoice needs no recipient (§ 33 UStDV). */
const smallAmount = 250

function warningsOf(
  { status, cancels, gross, tax, buyer }: Invoice,
  party: { name: string } | undefined,
): string[] {
  if (cancels !== null || status === 'cancelled') return []
  const isAddressed = buyer.city !== null && (buyer.street !== null || buyer.postcode !== null)
  const warnings = [
    party !== undefined &&
      buyer.name !== null &&
      buyer.name !== party.name &&
      `Der Empfänger heißt in der Rechnung „${buyer.name}“, der Beteiligte aber „${party.name}“. Die Rechnung muss nennen, wem die Leistung erbracht wurde (§ 14 Abs. 4 Satz 1 Nr. 1 UStG).`,
    !isAddressed &&
      decimal(gross).gt(smallAmount) &&
      'Die Anschrift des Empfängers fehlt. Eine Rechnung über mehr als 250 € muss sie nennen (§ 14 Abs. 4 Satz 1 Nr. 1 UStG, § 33 UStDV).',
    isVatIdOfOtherCountry(buyer.vat_id) &&
      !decimal(tax).eq(0) &&
      'Die USt-IdNr. des Empfängers ist die eines anderen EU-Staats, aber die Rechnung weist deutsche Umsatzsteuer aus. Ein Unternehmer schuldet dort die Steuer meist selbst (§ 3a Abs. 2 UStG).',
    decimal(gross).lt(0) &&
      'Der Rechnungsbetrag ist negativ. Um eine ausgestellte Rechnung rückgängig zu machen, stornieren Sie sie.',
  ]
  return warnings.filter((warning) => warning !== false)
}
