import Big from 'big.js'
import { describe, expect, it } from 'vitest'
import type { Seller } from '#billing/firm-schema.ts'
import type { Buyer, Invoice } from '#billing/schema.ts'
import { xrechnung } from '#invoicing/xrechnung.ts'
import type { PrecedingInvoice } from '#invoicing/xrechnung-missing.ts'
import fc from '#test/support/properties.ts'
import { schemaFaultsOf, schemaIsThere } from './cii-schema.ts'
import { cancellationOf, invoiceOf, seller } from './invoices.ts'
import { at, type Element, everyElement, readXml, writeXml } from './xml-tree.ts'
import { faultsOf } from './xrechnung-judge.ts'

const hours = { quantity: '1.6667', unit_price: '240.1234', tax_rate: '19', time_entry_id: 'entry' }
const reduced = { quantity: '2', unit_price: '49.995', tax_rate: '7', text: 'Fachbuch' }
const costs = { quantity: '1', unit_price: '161', tax_rate: '0', text: 'Gerichtskosten' }
const discount = { quantity: '-3', unit_price: '10.5555', tax_rate: '19', text: 'Nachlass' }

const ordinary = invoiceOf([hours, reduced, costs, discount])
const austrian: Buyer = { ...ordinary.buyer, city: 'Wien', country: 'AT', vat_id: 'ATU12345678' }

/** A document of each kind that a firm issues. */
const documents: Record<string, string> = {
  'with all rates and a discount': xmlOf(ordinary),
  'that cancels another': xmlOf(cancellationOf(ordinary), seller, ordinary),
  'to a business in another country of the EU': xmlOf(
    invoiceOf([{ ...hours, tax_rate: '0' }], { buyer: austrian }),
  ),
  'with tax and court fees to a business in another country of the EU': xmlOf(
    invoiceOf([hours, costs], { buyer: austrian }),
  ),
  'to Switzerland without a street': xmlOf(
    invoiceOf([hours], { buyer: { ...ordinary.buyer, country: 'CH', street: null } }),
  ),
  'without tax': xmlOf(invoiceOf([costs])),
  'without a due date': xmlOf(invoiceOf([hours], { due_date: null })),
  'of a firm without a VAT id': xmlOf(ordinary, { ...seller, vat_id: null }),
  'of a firm without a tax number': xmlOf(ordinary, { ...seller, tax_number: null }),
  'with the amount zero': xmlOf(invoiceOf([{ ...hours, unit_price: '0' }])),
  'with many lines': xmlOf(
    invoiceOf(
      Array.from({ length: 200 }, (_, index) => ({
        quantity: Big(index).plus(1).div(1_000).toFixed(),
        unit_price: '123.4567',
        tax_rate: ['19', '7', '0'][index % 3] ?? '19',
      })),
    ),
  ),
  'with every kind of character': xmlOf(
    invoiceOf([{ ...hours, text: 'A\u0000B\u001f\uD800\uFFFE <&>"\' 😀 ]]>\nzweite Zeile' }]),
  ),
}

it.each(Object.entries(documents))('an invoice %s follows every rule of EN 16931 and XRechnung', (_, xml) => {
  expect(faultsOf(xml)).toEqual([])
})

describe.runIf(schemaIsThere())('schema of UN/CEFACT CII D16B', () => {
  it.each(Object.entries(documents))('an invoice %s is valid', (_, xml) => {
    expect(schemaFaultsOf(xml)).toEqual([])
  })

  it('a document whose elements are in another order is refused', () => {
    const root = readXml(xmlOf(ordinary))
    root.children.reverse()

    expect(schemaFaultsOf(writeXml(root))).not.toEqual([])
  })
})

it('a document breaks a rule if any of its elements is missing, except the optional ones', () => {
  const whole = documents['that cancels another'] ?? ''
  const count = everyElement(readXml(whole)).length

  const spared = Array.from({ length: count - 1 }, (_, index) => without(whole, index + 1))
    .filter(({ xml }) => faultsOf(xml).length === 0)
    .map(({ path }) => path)

  expect([...new Set(spared)].sort()).toEqual([
    'ApplicableHeaderTradeAgreement/SellerTradeParty/SpecifiedTaxRegistration',
    'ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod/EndDateTime',
    'ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod/StartDateTime',
    'ApplicableHeaderTradeSettlement/InvoiceReferencedDocument/FormattedIssueDateTime',
    'BuyerTradeParty/PostalTradeAddress/LineOne',
    'CrossIndustryInvoice/ExchangedDocument/IncludedNote',
    'CrossIndustryInvoice/SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery',
    'SellerTradeParty/PostalTradeAddress/LineOne',
    'SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/AccountName',
    'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod',
    'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/PaymentReference',
  ])
})

it('a document breaks a rule if any of its amounts is a cent too high', () => {
  const whole = documents['with all rates and a discount'] ?? ''
  const amounts = /(LineTotal|TaxBasisTotal|TaxTotal|GrandTotal|DuePayable|Calculated|Basis)Amount$/
  const places = everyElement(readXml(whole)).flatMap(({ name }, place) =>
    amounts.test(name) ? [place] : [],
  )

  const unnoticed = places.filter((place) => {
    const root = readXml(whole)
    const amount = everyElement(root)[place]
    if (amount !== undefined) amount.text = Big(amount.text).plus('0.01').toFixed(2)
    return faultsOf(writeXml(root)).length === 0
  })

  expect([places.length, unnoticed]).toEqual([15, []])
})

it('the document follows every rule, whatever its lines are', () => {
  const decimal = (max: number, places: number) =>
    fc.integer({ min: 0, max }).map((value) =>
      Big(value)
        .div(10 ** places)
        .toFixed(),
    )
  const line = fc.record({
    quantity: decimal(9_999_999, 4).chain((value) => fc.constantFrom(value, Big(value).times(-1).toFixed())),
    unit_price: decimal(99_999_999, 4),
    tax_rate: fc.constantFrom('19', '7', '0'),
    text: fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }).filter((text) => text.trim() !== ''),
    time_entry_id: fc.option(fc.constant('entry')),
  })
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
      const invoice = invoiceOf(lines)
      expect(faultsOf(xmlOf(invoice))).toEqual([])
      expect(faultsOf(xmlOf(cancellationOf(invoice), seller, invoice))).toEqual([])
    }),
    { numRuns: 30 },
  )
})

const needed: [
  path: string,
  given: { seller?: Partial<Seller>; buyer?: Partial<Buyer>; invoice?: Partial<Invoice> },
][] = [
  ['seller.name', { seller: { name: null } }],
  ['seller.postcode', { seller: { postcode: null } }],
  ['seller.city', { seller: { city: '  ' } }],
  ['seller.country', { seller: { country: null } }],
  ['seller.country', { seller: { country: 'XX' } }],
  // In ISO 3166-1, but not in the list of EN 16931.
  ['seller.country', { seller: { country: 'SS' } }],
  ['seller.contact_name', { seller: { contact_name: null } }],
  ['seller.phone', { seller: { phone: null } }],
  ['seller.phone', { seller: { phone: 'keins' } }],
  ['seller.email', { seller: { email: null } }],
  ['seller.iban', { seller: { iban: null } }],
  ['seller.iban', { seller: { iban: 'DE03120300000000202051' } }],
  ['seller.vat_id', { seller: { vat_id: null, tax_number: null } }],
  ['seller.vat_id', { seller: { vat_id: '123456789' } }],
  ['buyer.name', { buyer: { name: null } }],
  ['buyer.postcode', { buyer: { postcode: null } }],
  ['buyer.city', { buyer: { city: null } }],
  ['buyer.country', { buyer: { country: null } }],
  ['buyer.email', { buyer: { email: null } }],
  ['buyer.vat_id', { buyer: { vat_id: '12' } }],
  ['buyer_reference', { invoice: { buyer_reference: null } }],
  ['buyer_reference', { invoice: { buyer_reference: ' ' } }],
  ['number', { invoice: { number: null } }],
  ['lines', { invoice: { lines: [] } }],
  ['lines.0.text', { invoice: { lines: invoiceOf([{ ...hours, text: ' ' }]).lines } }],
]

it.each(
  needed,
)('a missing or malformed value is reported under the field that sets it: %s', (path, given) => {
  const buyer = { ...ordinary.buyer, ...given.buyer }

  const answer = xrechnung({ ...ordinary, buyer, ...given.invoice }, { ...seller, ...given.seller }, null)

  expect(answer).toEqual({ missing: [{ path, message: expect.stringMatching(/(Set it|POST) .+\.$/) }] })
})

it('if values are missing, they are reported or the document still follows every rule', () => {
  const some = <Fields extends object>(fields: Fields) =>
    fc.subarray(Object.keys(fields)).map((keys) => nullsOf(keys))
  fc.assert(
    fc.property(some(seller), some(ordinary.buyer), fc.boolean(), (lessSeller, lessBuyer, isDue) => {
      const buyer = { ...ordinary.buyer, ...lessBuyer }
      const invoice = { ...ordinary, buyer, ...(isDue ? {} : { due_date: null }) }
      const answer = xrechnung(invoice, { ...seller, ...lessSeller }, null)
      if ('xml' in answer) expect(faultsOf(answer.xml)).toEqual([])
      else expect(answer.missing).not.toEqual([])
    }),
  )
})

it('characters that XML forbids are replaced, and all others stay', () => {
  const text = 'A\u0000B\u001fC\uD800D\uFFFE <&>"\' 😀 ]]>'

  const xml = xmlOf(invoiceOf([{ ...hours, text }]))

  expect(textsOf(xml, 'ram:SpecifiedTradeProduct', 'ram:Name')).toEqual([
    'A\uFFFDB\uFFFDC\uFFFDD\uFFFD <&>"\' 😀 ]]>',
  ])
})

it('a text that looks like an entity reference of XML does not change', () => {
  const text = 'F&E; M&amp;A &lt;b&gt; &copy; &#60; &#1; &#x3C; R&D &&; &'

  const xml = xmlOf(invoiceOf([{ ...hours, text }], { buyer: { ...ordinary.buyer, name: text } }))

  expect(textsOf(xml, 'ram:SpecifiedTradeProduct', 'ram:Name')).toEqual([text])
  expect(textsOf(xml, 'ram:BuyerTradeParty', 'ram:Name')).toEqual([text])
})

it('a cancellation is a corrected invoice with negative quantities that names the cancelled one', () => {
  const xml = documents['that cancels another'] ?? ''

  expect(textsOf(xml, 'rsm:ExchangedDocument', 'ram:TypeCode')).toEqual(['384'])
  expect(textsOf(xml, 'ram:InvoiceReferencedDocument', 'ram:IssuerAssignedID')).toEqual(['R-2026-0001'])
  expect(textsOf(xml, 'ram:NetPriceProductTradePrice', 'ram:ChargeAmount')).toEqual([
    '240.1234',
    '49.995',
    '161',
    '10.5555',
  ])
  expect(textsOf(xml, 'ram:SpecifiedLineTradeDelivery', 'ram:BilledQuantity')).toEqual([
    '-1.6667',
    '-2',
    '-1',
    '3',
  ])
})

it('the document asks for immediate payment only if there is an amount to pay and no due date', () => {
  const asks = (name: string) => documents[name]?.includes('Zahlbar sofort.')

  expect(asks('without a due date')).toBe(true)
  expect(asks('with all rates and a discount')).toBe(false)
  expect(asks('that cancels another')).toBe(false)
})

it('the unit of time entries is the hour, everything else is counted in pieces', () => {
  const units = everyElement(readXml(xmlOf(ordinary))).flatMap(({ attributes }) => attributes.unitCode ?? [])

  expect(units).toEqual(['HUR', 'C62', 'C62', 'C62'])
})

it('the days of the services are the invoicing period (BT-73, BT-74)', () => {
  const [xml, withoutDays] = [xmlOf(ordinary), xmlOf({ ...ordinary, service_from: null })]
  const days = ['StartDateTime', 'EndDateTime'].flatMap((name) =>
    textsOf(xml, `ram:${name}`, 'udt:DateTimeString'),
  )

  expect(days).toEqual(['20261026', '20261119'])
  expect(withoutDays).not.toContain('BillingSpecifiedPeriod')
})

it('the document has the amounts of the invoice', () => {
  const xml = xmlOf(ordinary)
  const sums = 'ram:SpecifiedTradeSettlementHeaderMonetarySummation'

  // 400.21 - 31.67 = 368.54 at 19 %, 99.99 at 7 %, 161.00 at 0 %.
  expect(textsOf(xml, sums, 'ram:TaxBasisTotalAmount')).toEqual(['629.53'])
  expect(textsOf(xml, sums, 'ram:TaxTotalAmount')).toEqual(['77.02'])
  expect(textsOf(xml, sums, 'ram:DuePayableAmount')).toEqual(['706.55'])
  expect(
    textsOf(xml, 'ram:ApplicableHeaderTradeSettlement/ram:ApplicableTradeTax', 'ram:CalculatedAmount'),
  ).toEqual(['70.02', '7.00', '0.00'])
})

it.each([
  ['a German client', 'E', ordinary.buyer],
  ['a client of another country of the EU with a VAT id', 'AE', austrian],
  ['a client of another country of the EU without a VAT id', 'E', { ...austrian, vat_id: null }],
])('lines without tax for %s have the category %s', (_, category, buyer) => {
  const xml = xmlOf(invoiceOf([costs], { buyer }))

  expect(textsOf(xml, 'ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax', 'ram:CategoryCode')).toEqual(
    [category],
  )
})

it('court fees have the category E if other fees are taxed, also for a client of another country of the EU', () => {
  const invoice = invoiceOf([hours, costs], { buyer: austrian })

  for (const xml of [xmlOf(invoice), xmlOf(cancellationOf(invoice), seller, invoice)]) {
    expect(
      textsOf(xml, 'ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax', 'ram:CategoryCode'),
    ).toEqual(['S', 'E'])
    expect(xml).not.toContain('VATEX-EU-AE')
  }
})

it('the VAT id of the firm is required if the recipient owes the tax (§ 14a Abs. 1 UStG)', () => {
  const firm = { ...seller, vat_id: null }
  const ofVatId = { path: 'seller.vat_id', message: expect.stringContaining('§ 14a Abs. 1 UStG') }
  const reversed = invoiceOf([{ ...hours, tax_rate: '0' }], { buyer: austrian })

  expect(xrechnung(reversed, firm, null)).toEqual({ missing: [ofVatId] })
  expect(xrechnung(cancellationOf(reversed), firm, reversed)).toEqual({ missing: [ofVatId] })
  expect(xrechnung(invoiceOf([hours, costs], { buyer: austrian }), firm, null)).toHaveProperty('xml')
})

it('a preceding invoice is refused for an invoice that cancels nothing', () => {
  expect(() => xrechnung(ordinary, seller, ordinary)).toThrow(TypeError)
})

it('if the cancelled invoice is no longer stored, a cancellation reports it as missing', () => {
  const cancelling = cancellationOf(ordinary)
  const cancels = {
    path: 'cancels',
    message: 'The number and date of the cancelled invoice (BG-3) are no longer stored.',
  }

  expect(xrechnung(cancelling, seller, null)).toEqual({ missing: [cancels] })
  expect(xrechnung({ ...cancelling, buyer_reference: null }, seller, null)).toEqual({
    missing: [expect.objectContaining({ path: 'buyer_reference' }), cancels],
  })
})

function xmlOf(invoice: Invoice, firm: Seller = seller, preceding: PrecedingInvoice | null = null): string {
  const answer = xrechnung(invoice, firm, preceding)
  if ('missing' in answer) throw new Error(JSON.stringify(answer.missing))
  return answer.xml
}

function nullsOf(keys: string[]): Record<string, null> {
  return Object.fromEntries(keys.map((key) => [key, null]))
}

/**
 * The texts of the elements `name` below each element at the path `group`, wherever the path begins in the document.
 */
function textsOf(xml: string, group: string, name: string): string[] {
  return everyElement(readXml(xml))
    .flatMap((element) => at(element, group))
    .flatMap((element) => at(element, name))
    .map(({ text }) => text)
}

/** The document without one of its elements, and the path of that element. `place`: its place in the document order. */
function without(xml: string, place: number): { xml: string; path: string } {
  const root = readXml(xml)
  const elements = everyElement(root)
  const removed = elements[place]
  const parentOf = (child: Element | undefined) =>
    elements.find(({ children }) => child && children.includes(child))
  const parent = parentOf(removed)
  const ancestors = [parentOf(parent), parent, removed].flatMap(
    (element) => element?.name.replace(/^\w+:/, '') ?? [],
  )
  if (parent !== undefined) parent.children = parent.children.filter((child) => child !== removed)
  return { xml: writeXml(root), path: ancestors.join('/') }
}
