import Big from 'big.js'
import { at, type Element, everyElement, readXml } from './xml-tree.ts'

/**
 * Checks a document against the business rules of EN 16931-1 (6.4) and of XRechnung 3.0 (BR-DE, PEPPOL-EN16931) that an
 * invoice without allowances and charges can break. It follows the text of the rules, and shares no code with the
 * writer.
 *
 * @returns the ids of the rules that the document breaks, sorted
 */
export function faultsOf(xml: string): string[] {
  const root = readXml(xml)
  const terms = termsOf(root)
  const broken = [...rules, ...totals, ...categories].filter(([, holds]) => !holds(terms)).map(([id]) => id)
  return [...new Set(broken)].sort()
}

type Terms = ReturnType<typeof termsOf>
type Rule = [id: string, holds: (terms: Terms) => boolean]

function termsOf(root: Element) {
  const [transaction = nothing] = at(root, 'rsm:SupplyChainTradeTransaction')
  const [agreement = nothing] = at(transaction, 'ram:ApplicableHeaderTradeAgreement')
  const [settlement = nothing] = at(transaction, 'ram:ApplicableHeaderTradeSettlement')
  const lines = at(transaction, 'ram:IncludedSupplyChainTradeLineItem')
  const currency = textAt(settlement, 'ram:InvoiceCurrencyCode')
  const sums = 'ram:SpecifiedTradeSettlementHeaderMonetarySummation'
  return {
    root,
    agreement,
    settlement,
    lines,
    lineTaxes: lines.flatMap(taxesOfLine),
    lineNets: lines.map((line) => textAt(line, lineNet)),
    breakdowns: at(settlement, 'ram:ApplicableTradeTax'),
    seller: at(agreement, 'ram:SellerTradeParty')[0] ?? nothing,
    buyer: at(agreement, 'ram:BuyerTradeParty')[0] ?? nothing,
    means: at(settlement, 'ram:SpecifiedTradeSettlementPaymentMeans'),
    typeCode: textAt(root, 'rsm:ExchangedDocument/ram:TypeCode'),
    sum: (name: string) => textAt(settlement, `${sums}/ram:${name}`),
    taxTotal: at(settlement, `${sums}/ram:TaxTotalAmount`)
      .filter(({ attributes }) => attributes.currencyID === currency)
      .map(({ text }) => text.trim())[0],
  }
}

const nothing: Element = { name: '', attributes: {}, children: [], text: '' }
const lineNet =
  'ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount'

/** The trimmed text at a path; empty if there is none. */
function textAt(element: Element, path: string): string {
  return at(element, path)[0]?.text.trim() ?? ''
}

/** Only VAT is checked, and no other tax. */
const isVat = (tax: Element) => textAt(tax, 'ram:TypeCode') === 'VAT'
const taxesOfLine = (line: Element) =>
  at(line, 'ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax').filter(isVat)
const has = (element: Element, path: string) => textAt(element, path) !== ''
const taxIds = (party: Element, scheme: string) =>
  at(party, 'ram:SpecifiedTaxRegistration/ram:ID').filter(({ attributes }) => attributes.schemeID === scheme)
const electronicAddress = 'ram:URIUniversalCommunication/ram:URIID'
const price = 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount'
const contact = 'ram:DefinedTradeContact'

/** Which values must be present, and which values are allowed. */
const rules: Rule[] = [
  [
    'BR-01',
    ({ root }) =>
      has(root, 'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID'),
  ],
  ['BR-02', ({ root }) => has(root, 'rsm:ExchangedDocument/ram:ID')],
  ['BR-03', ({ root }) => at(root, 'rsm:ExchangedDocument/ram:IssueDateTime/udt:DateTimeString').some(isDay)],
  ['BR-04', ({ typeCode }) => typeCode !== ''],
  ['BR-05', ({ settlement }) => has(settlement, 'ram:InvoiceCurrencyCode')],
  ['BR-06', ({ seller }) => has(seller, 'ram:Name')],
  ['BR-07', ({ buyer }) => has(buyer, 'ram:Name')],
  ['BR-08', ({ seller }) => at(seller, 'ram:PostalTradeAddress').length > 0],
  ['BR-09', ({ seller }) => has(seller, 'ram:PostalTradeAddress/ram:CountryID')],
  ['BR-10', ({ buyer }) => at(buyer, 'ram:PostalTradeAddress').length > 0],
  ['BR-11', ({ buyer }) => has(buyer, 'ram:PostalTradeAddress/ram:CountryID')],
  ['BR-12', ({ sum }) => sum('LineTotalAmount') !== ''],
  ['BR-13', ({ sum }) => sum('TaxBasisTotalAmount') !== ''],
  ['BR-14', ({ sum }) => sum('GrandTotalAmount') !== ''],
  ['BR-15', ({ sum }) => sum('DuePayableAmount') !== ''],
  ['BR-16', ({ lines }) => lines.length > 0],
  ['BR-21', ({ lines }) => lines.every((line) => has(line, 'ram:AssociatedDocumentLineDocument/ram:LineID'))],
  [
    'BR-22',
    ({ lines }) => lines.every((line) => has(line, 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity')),
  ],
  ['BR-23', ({ lines }) => lines.every((line) => unitOf(line) !== '')],
  ['BR-24', ({ lineNets }) => lineNets.every((net) => net !== '')],
  ['BR-25', ({ lines }) => lines.every((line) => has(line, 'ram:SpecifiedTradeProduct/ram:Name'))],
  ['BR-26', ({ lines }) => lines.every((line) => has(line, price))],
  ['BR-27', ({ lines }) => lines.every((line) => !textAt(line, price).startsWith('-'))],
  ['BR-45', ({ breakdowns }) => breakdowns.every((tax) => has(tax, 'ram:BasisAmount'))],
  ['BR-46', ({ breakdowns }) => breakdowns.every((tax) => has(tax, 'ram:CalculatedAmount'))],
  ['BR-47', ({ breakdowns }) => breakdowns.every((tax) => isVat(tax) && has(tax, 'ram:CategoryCode'))],
  ['BR-48', ({ breakdowns }) => breakdowns.every((tax) => has(tax, 'ram:RateApplicablePercent'))],
  ['BR-49', ({ means }) => means.every((one) => has(one, 'ram:TypeCode'))],
  ['BR-50', ({ means }) => means.every(hasAccount)],
  [
    'BR-55',
    ({ settlement }) =>
      at(settlement, 'ram:InvoiceReferencedDocument').every((it) => has(it, 'ram:IssuerAssignedID')),
  ],
  [
    'BR-61',
    ({ means }) =>
      means.every((one) => !['30', '58'].includes(textAt(one, 'ram:TypeCode')) || hasAccount(one)),
  ],
  ['BR-62', ({ seller }) => at(seller, electronicAddress).every(({ attributes }) => attributes.schemeID)],
  ['BR-63', ({ buyer }) => at(buyer, electronicAddress).every(({ attributes }) => attributes.schemeID)],
  [
    'BR-CO-04',
    ({ lines }) => lines.every((line) => taxesOfLine(line).some((tax) => has(tax, 'ram:CategoryCode'))),
  ],
  ['BR-CL-16', ({ means }) => means.every((one) => /^([1-9]\d?|ZZZ)?$/.test(textAt(one, 'ram:TypeCode')))],
  ['BR-CL-18', ({ breakdowns }) => breakdowns.every((tax) => codes.has(textAt(tax, 'ram:CategoryCode')))],
  [
    'BR-CO-09',
    ({ seller, buyer }) =>
      [...taxIds(seller, 'VA'), ...taxIds(buyer, 'VA')].every(({ text }) => /^[A-Z]{2}/.test(text)),
  ],
  ['BR-CO-18', ({ breakdowns }) => breakdowns.length > 0],
  ['BR-CO-25', ({ sum, settlement }) => !isPositive(sum('DuePayableAmount')) || hasTerms(settlement)],
  [
    'BR-CO-26',
    ({ seller }) => has(seller, 'ram:ID') || has(seller, 'ram:GlobalID') || taxIds(seller, 'VA').length > 0,
  ],
  ['BR-DE-1', ({ means }) => means.length > 0],
  ['BR-DE-2', ({ seller }) => at(seller, contact).length > 0],
  ['BR-DE-3', ({ seller }) => atEach(seller, 'ram:PostalTradeAddress', 'ram:CityName')],
  ['BR-DE-4', ({ seller }) => atEach(seller, 'ram:PostalTradeAddress', 'ram:PostcodeCode')],
  ['BR-DE-5', ({ seller }) => atEach(seller, contact, 'ram:PersonName')],
  [
    'BR-DE-6',
    ({ seller }) => atEach(seller, contact, 'ram:TelephoneUniversalCommunication/ram:CompleteNumber'),
  ],
  ['BR-DE-7', ({ seller }) => atEach(seller, contact, 'ram:EmailURIUniversalCommunication/ram:URIID')],
  ['BR-DE-8', ({ buyer }) => atEach(buyer, 'ram:PostalTradeAddress', 'ram:CityName')],
  ['BR-DE-9', ({ buyer }) => atEach(buyer, 'ram:PostalTradeAddress', 'ram:PostcodeCode')],
  ['BR-DE-14', ({ breakdowns }) => breakdowns.every((tax) => has(tax, 'ram:RateApplicablePercent'))],
  ['BR-DE-15', ({ agreement }) => has(agreement, 'ram:BuyerReference')],
  [
    'BR-DE-16',
    ({ seller, lineTaxes }) =>
      !lineTaxes.some(isTaxedByVat) || taxIds(seller, 'VA').length + taxIds(seller, 'FC').length > 0,
  ],
  ['BR-DE-17', ({ typeCode }) => ['326', '380', '381', '384', '389', '875', '876', '877'].includes(typeCode)],
  [
    'BR-DE-21',
    ({ root }) =>
      textAt(root, 'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID') ===
      'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  ],
  [
    'BR-DE-23-a',
    ({ means }) =>
      means.every(
        (one) =>
          textAt(one, 'ram:TypeCode') !== '58' ||
          at(one, 'ram:PayeePartyCreditorFinancialAccount').length > 0,
      ),
  ],
  [
    'BR-DE-26',
    ({ typeCode, settlement }) =>
      typeCode !== '384' || at(settlement, 'ram:InvoiceReferencedDocument').length > 0,
  ],
  [
    'PEPPOL-EN16931-R001',
    ({ root }) =>
      has(root, 'rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID'),
  ],
  ['PEPPOL-EN16931-R008', ({ root }) => everyElement(root).every(isFilled)],
  ['PEPPOL-EN16931-R010', ({ buyer }) => has(buyer, electronicAddress)],
  ['PEPPOL-EN16931-R020', ({ seller }) => has(seller, electronicAddress)],
]

const isDay = ({ attributes, text }: Element) => attributes.format === '102' && /^\d{8}$/.test(text.trim())
const codes = new Set(['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M', ''])
const unitOf = (line: Element) =>
  at(line, 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity')[0]?.attributes.unitCode ?? ''
const hasAccount = (means: Element) => has(means, 'ram:PayeePartyCreditorFinancialAccount/ram:IBANID')
const isPositive = (amount: string) => amount !== '' && Big(amount).gt(0)
const hasTerms = (settlement: Element) =>
  has(settlement, 'ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/udt:DateTimeString') ||
  has(settlement, 'ram:SpecifiedTradePaymentTerms/ram:Description')
const atEach = (element: Element, groups: string, term: string) =>
  at(element, groups).every((one) => has(one, term))
const isFilled = ({ name, children, text }: Element) =>
  children.length > 0 || text.trim() !== '' || name === 'ram:ApplicableHeaderTradeDelivery'
const isTaxedByVat = (tax: Element) =>
  textAt(tax, 'ram:TypeCode') === 'VAT' && ['S', 'Z', 'E', 'AE'].includes(textAt(tax, 'ram:CategoryCode'))

/** The rules of calculation. They ignore a missing amount: that breaks a rule above. */
const totals: Rule[] = [
  ['BR-CO-10', ({ sum, lineNets }) => same(sum('LineTotalAmount'), added(lineNets))],
  ['BR-CO-13', ({ sum, lineNets }) => same(sum('TaxBasisTotalAmount'), added(lineNets))],
  [
    'BR-CO-14',
    ({ taxTotal = '', breakdowns }) =>
      same(taxTotal, added(breakdowns.map((tax) => textAt(tax, 'ram:CalculatedAmount')))),
  ],
  [
    'BR-CO-15',
    ({ sum, taxTotal }) =>
      taxTotal !== undefined && same(sum('GrandTotalAmount'), added([sum('TaxBasisTotalAmount'), taxTotal])),
  ],
  ['BR-CO-16', ({ sum }) => same(sum('DuePayableAmount'), added([sum('GrandTotalAmount')]))],
  [
    'BR-CO-17',
    ({ breakdowns }) => breakdowns.every((tax) => same(textAt(tax, 'ram:CalculatedAmount'), taxOf(tax))),
  ],
  ['PEPPOL-EN16931-R120', ({ lines }) => lines.every((line) => same(textAt(line, lineNet), netOf(line)))],
]

function same(one: string, other: Big | undefined): boolean {
  return one === '' || other === undefined || Big(one).eq(other)
}

function added(amounts: string[]): Big | undefined {
  return amounts.includes('') ? undefined : amounts.reduce((sum, amount) => sum.plus(amount), Big(0))
}

/** Rounds half a cent away from zero. */
const cents = (amount: Big) => amount.round(2, Big.roundHalfUp)

function taxOf(tax: Element): Big | undefined {
  const [basis, rate] = [textAt(tax, 'ram:BasisAmount'), textAt(tax, 'ram:RateApplicablePercent')]
  return basis === '' || rate === '' ? undefined : cents(Big(basis).times(rate).div(100))
}

function netOf(line: Element): Big | undefined {
  const [quantity, one] = [
    textAt(line, 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity'),
    textAt(line, price),
  ]
  return quantity === '' || one === '' ? undefined : cents(Big(quantity).times(one))
}

/** The rules of the VAT categories: BR-S, BR-E and BR-AE, which are alike. */
const categories: Rule[] = ['S', 'E', 'AE'].flatMap((code): Rule[] => {
  const ofCode = (taxes: Element[]) => taxes.filter((tax) => textAt(tax, 'ram:CategoryCode') === code)
  const rateOf = (tax: Element) => textAt(tax, 'ram:RateApplicablePercent')
  const hasReason = (tax: Element) => has(tax, 'ram:ExemptionReason') || has(tax, 'ram:ExemptionReasonCode')
  return [
    [
      `BR-${code}-01`,
      ({ lineTaxes, breakdowns }) => ofCode(lineTaxes).length === 0 || ofCode(breakdowns).length > 0,
    ],
    [
      `BR-${code}-02`,
      ({ lineTaxes, seller, buyer }) =>
        ofCode(lineTaxes).length === 0 ||
        (taxIds(seller, 'VA').length + taxIds(seller, 'FC').length > 0 &&
          (code !== 'AE' || taxIds(buyer, 'VA').length > 0)),
    ],
    [
      `BR-${code}-05`,
      ({ lineTaxes }) =>
        ofCode(lineTaxes).every((tax) => rateOf(tax) !== '' && Big(rateOf(tax)).gt(0) === (code === 'S')),
    ],
    [
      `BR-${code}-08`,
      ({ lines, breakdowns }) =>
        ofCode(breakdowns).every((tax) =>
          same(textAt(tax, 'ram:BasisAmount'), netOfRate(lines, code, rateOf(tax))),
        ),
    ],
    [
      `BR-${code}-09`,
      ({ breakdowns }) =>
        ofCode(breakdowns).every((tax) => same(textAt(tax, 'ram:CalculatedAmount'), taxOf(tax))),
    ],
    [
      `BR-${code}-10`,
      ({ breakdowns }) => ofCode(breakdowns).every((tax) => hasReason(tax) === (code !== 'S')),
    ],
  ]
})

function netOfRate(lines: Element[], code: string, rate: string): Big | undefined {
  const tax = (line: Element, name: string) =>
    textAt(line, `ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax/ram:${name}`)
  const taxed = lines.filter(
    (line) =>
      tax(line, 'CategoryCode') === code &&
      rate !== '' &&
      tax(line, 'RateApplicablePercent') !== '' &&
      Big(tax(line, 'RateApplicablePercent')).eq(rate),
  )
  return added(taxed.map((line) => textAt(line, lineNet)))
}
