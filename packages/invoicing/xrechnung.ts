import { create } from 'xmlbuilder2'
import type { Seller } from '#billing/firm-schema.ts'
import type { Invoice, InvoiceLine, InvoiceTax } from '#billing/schema.ts'
import { type CalendarDate, germanDay } from '#german-time/calendar-date.ts'
import { decimal } from '#kernel/decimal.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import { isReverseCharge } from './reverse-charge.ts'
import { missingForXrechnung, type PrecedingInvoice } from './xrechnung-missing.ts'

/**
 * An issued invoice as XRechnung 3.0: EN 16931 in the syntax UN/CEFACT Cross Industry Invoice D16B (X8). All amounts
 * come from the invoice; nothing is calculated again.
 *
 * - A cancellation is a corrected invoice (type 384) that names the `preceding` invoice. Its amounts and quantities are
 *   negative. Its prices are positive, because a price must not be negative (BR-27).
 * - Lines of 19 % and 7 % have the category S. Lines of 0 % have the category AE (reverse charge) if no line is taxed
 *   and the buyer has a VAT id of another country of the EU. Otherwise they have the category E, with a text that lists
 *   the possible reasons. The category O (outside the scope of VAT) is not used, because it must not be combined with
 *   others (BR-O-11), and an invoice often has both court fees and taxed lines.
 * - Quantities are hours (`HUR`) or pieces (`C62`).
 * - The days of the services are the invoicing period (BG-14, § 14 Abs. 4 Nr. 6 UStG).
 * - The means of payment is a SEPA credit transfer (58). Without a due date the amount is due immediately (§ 271 Abs. 1
 *   BGB).
 * - A seller without a VAT id is identified by its tax number (BT-29, BT-32), because BR-CO-26 requires an identifier.
 *   With reverse charge it must have a VAT id.
 * - Characters that XML cannot represent become U+FFFD.
 *
 * @param seller the firm as it appears on the invoice
 * @param preceding the invoice that a cancellation cancels, or null if it is no longer stored; null for other invoices
 * @returns the document, or the API fields that EN 16931 or XRechnung requires and that are missing or malformed, such
 *   as `buyer.postcode`
 */
export function xrechnung(
  invoice: Invoice,
  seller: Seller,
  preceding: PrecedingInvoice | null,
): { xml: string } | { missing: FailureDetail[] } {
  if (invoice.cancels === null && preceding !== null)
    throw new TypeError('This invoice cancels nothing, so it has no preceding invoice.')
  const missing = missingForXrechnung(invoice, seller, preceding)
  if (missing.length > 0) return { missing }
  const document = create(
    { encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' },
    { 'rsm:CrossIndustryInvoice': { ...namespaces, ...documentOf(invoice, seller, preceding) } },
  )
  return { xml: document.end({ prettyPrint: true }) }
}

const namespaces = {
  '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
}

const specification = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'
const businessProcess = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/** Elements in the order of the schema. An element that is null or undefined is left out. */
type Node = { [name: string]: Node | Node[] | string | null | undefined }

function documentOf(invoice: Invoice, seller: Seller, preceding: PrecedingInvoice | null): object {
  const zeroRate = zeroRateOf(invoice)
  return forXmlBuilder({
    'rsm:ExchangedDocumentContext': {
      'ram:BusinessProcessSpecifiedDocumentContextParameter': { 'ram:ID': businessProcess },
      'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': specification },
    },
    'rsm:ExchangedDocument': {
      'ram:ID': invoice.number,
      'ram:TypeCode': preceding === null ? '380' : '384',
      'ram:IssueDateTime': { 'udt:DateTimeString': day(invoice.invoice_date) },
      'ram:IncludedNote':
        preceding === null
          ? null
          : {
              'ram:Content': `Storniert die Rechnung ${preceding.number} vom ${germanDay(preceding.invoice_date)}.`,
            },
    },
    'rsm:SupplyChainTradeTransaction': {
      'ram:IncludedSupplyChainTradeLineItem': invoice.lines.map((line, index) =>
        lineOf(line, index, zeroRate),
      ),
      'ram:ApplicableHeaderTradeAgreement': {
        'ram:BuyerReference': invoice.buyer_reference,
        'ram:SellerTradeParty': sellerOf(seller),
        'ram:BuyerTradeParty': buyerOf(invoice.buyer),
      },
      'ram:ApplicableHeaderTradeDelivery': {},
      'ram:ApplicableHeaderTradeSettlement': settlementOf(invoice, seller, preceding, zeroRate),
    },
  })
}

function lineOf(line: InvoiceLine, index: number, zeroRate: TaxCategory): Node {
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': String(index + 1) },
    'ram:SpecifiedTradeProduct': { 'ram:Name': line.text },
    'ram:SpecifiedLineTradeAgreement': {
      'ram:NetPriceProductTradePrice': { 'ram:ChargeAmount': decimal(line.unit_price).toFixed() },
    },
    'ram:SpecifiedLineTradeDelivery': {
      'ram:BilledQuantity': {
        '@unitCode': line.unit === 'hour' ? 'HUR' : 'C62',
        '#': decimal(line.quantity).toFixed(),
      },
    },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': {
        'ram:TypeCode': 'VAT',
        'ram:CategoryCode': categoryOf(line.tax_rate, zeroRate).code,
        'ram:RateApplicablePercent': decimal(line.tax_rate).toFixed(),
      },
      'ram:SpecifiedTradeSettlementLineMonetarySummation': { 'ram:LineTotalAmount': line.net },
    },
  }
}

function sellerOf(seller: Seller): Node {
  return {
    'ram:ID': seller.vat_id === null ? seller.tax_number : null,
    'ram:Name': seller.name,
    'ram:DefinedTradeContact': {
      'ram:PersonName': seller.contact_name,
      'ram:TelephoneUniversalCommunication': { 'ram:CompleteNumber': seller.phone },
      'ram:EmailURIUniversalCommunication': { 'ram:URIID': seller.email },
    },
    'ram:PostalTradeAddress': addressOf(seller),
    'ram:URIUniversalCommunication': electronicAddress(seller.email),
    'ram:SpecifiedTaxRegistration': [
      ...registration('VA', seller.vat_id),
      ...registration('FC', seller.tax_number),
    ],
  }
}

function buyerOf(buyer: Invoice['buyer']): Node {
  return {
    'ram:Name': buyer.name,
    'ram:PostalTradeAddress': addressOf(buyer),
    'ram:URIUniversalCommunication': electronicAddress(buyer.email),
    'ram:SpecifiedTaxRegistration': registration('VA', buyer.vat_id),
  }
}

function addressOf({ street, postcode, city, country }: Invoice['buyer'] | Seller): Node {
  return {
    'ram:PostcodeCode': postcode,
    'ram:LineOne': street,
    'ram:CityName': city,
    'ram:CountryID': country,
  }
}

function electronicAddress(email: string | null): Node {
  return { 'ram:URIID': { '@schemeID': 'EM', '#': email } }
}

function registration(scheme: 'VA' | 'FC', id: string | null): Node[] {
  return id === null
    ? []
    : [{ 'ram:ID': { '@schemeID': scheme, '#': scheme === 'VA' ? withoutSpaces(id) : id } }]
}

function settlementOf(
  invoice: Invoice,
  seller: Seller,
  preceding: PrecedingInvoice | null,
  zeroRate: TaxCategory,
): Node {
  return {
    'ram:PaymentReference': invoice.number,
    'ram:InvoiceCurrencyCode': invoice.currency,
    'ram:SpecifiedTradeSettlementPaymentMeans': {
      'ram:TypeCode': '58',
      'ram:PayeePartyCreditorFinancialAccount': {
        'ram:IBANID': seller.iban === null ? null : withoutSpaces(seller.iban),
        'ram:AccountName': seller.name,
      },
    },
    'ram:ApplicableTradeTax': invoice.taxes.map((tax) => breakdownOf(tax, zeroRate)),
    'ram:BillingSpecifiedPeriod': periodOf(invoice),
    'ram:SpecifiedTradePaymentTerms': paymentTermsOf(invoice),
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': {
      'ram:LineTotalAmount': invoice.net,
      'ram:TaxBasisTotalAmount': invoice.net,
      'ram:TaxTotalAmount': { '@currencyID': invoice.currency, '#': invoice.tax },
      'ram:GrandTotalAmount': invoice.gross,
      'ram:DuePayableAmount': invoice.gross,
    },
    'ram:InvoiceReferencedDocument':
      preceding === null
        ? null
        : {
            'ram:IssuerAssignedID': preceding.number,
            'ram:FormattedIssueDateTime': { 'qdt:DateTimeString': day(preceding.invoice_date) },
          },
  }
}

/** The payment terms (BT-9, BT-20). They are undefined if the client owes nothing, as with a cancellation. */
function paymentTermsOf({ due_date, gross }: Invoice): Node | undefined {
  if (due_date !== null) return { 'ram:DueDateDateTime': { 'udt:DateTimeString': day(due_date) } }
  return decimal(gross).gt(0) ? { 'ram:Description': 'Zahlbar sofort.' } : undefined
}

/** The net amount and the tax of one rate (BG-23). */
function breakdownOf({ tax_rate, net, tax }: InvoiceTax, zeroRate: TaxCategory): Node {
  const { code, reason, reasonCode } = categoryOf(tax_rate, zeroRate)
  return {
    'ram:CalculatedAmount': tax,
    'ram:TypeCode': 'VAT',
    'ram:ExemptionReason': reason,
    'ram:BasisAmount': net,
    'ram:CategoryCode': code,
    'ram:ExemptionReasonCode': reasonCode,
    'ram:RateApplicablePercent': decimal(tax_rate).toFixed(),
  }
}

type TaxCategory = { code: 'S' | 'E' | 'AE'; reason: string | null; reasonCode: string | null }

const standard: TaxCategory = { code: 'S', reason: null, reasonCode: null }

function categoryOf(rate: string, zeroRate: TaxCategory): TaxCategory {
  return decimal(rate).eq(0) ? zeroRate : standard
}

function zeroRateOf({ buyer, taxes }: Invoice): TaxCategory {
  if (isReverseCharge(taxes, buyer.vat_id))
    return { code: 'AE', reason: 'Steuerschuldnerschaft des Leistungsempfängers', reasonCode: 'VATEX-EU-AE' }
  const reason =
    'Ohne Umsatzsteuer: durchlaufender Posten, nicht steuerbar oder steuerfrei (§ 10 Abs. 1, §§ 3a, 4, 19 UStG)'
  return { code: 'E', reason, reasonCode: null }
}

/** The days of the services (BT-73, BT-74). */
function periodOf({ service_from, service_to }: Invoice): Node | null {
  if (service_from === null || service_to === null) return null
  return {
    'ram:StartDateTime': { 'udt:DateTimeString': day(service_from) },
    'ram:EndDateTime': { 'udt:DateTimeString': day(service_to) },
  }
}

const day = (date: CalendarDate) => ({ '@format': '102', '#': date.replaceAll('-', '') })

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')

/**
 * Prepares a node for xmlbuilder2. Empty elements are left out, because they break a rule (PEPPOL-EN16931-R008). Each
 * `&` is escaped twice: xmlbuilder2 decodes entity references in its input (`&lt;`), and does not escape a text that
 * looks like one (`F&E;`) in its output.
 */
function forXmlBuilder(node: Node): Node {
  const entries = Object.entries(node).flatMap(([name, value]): [string, Node[string]][] => {
    if (value === null || value === undefined) return []
    if (typeof value === 'string')
      return value.trim() === '' ? [] : [[name, value.replaceAll('&', '&amp;amp;')]]
    return [[name, Array.isArray(value) ? value.map(forXmlBuilder) : forXmlBuilder(value)]]
  })
  return Object.fromEntries(entries)
}
