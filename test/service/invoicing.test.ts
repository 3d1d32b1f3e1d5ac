import { beforeAll, describe, expect, it } from 'vitest'
import { invoiceEntity } from '#store/billing/invoice-entity.ts'
import { schemaFaultsOf, schemaIsThere } from '#test/invoicing/cii-schema.ts'
import { bookingsOf, faultsOfBatch, linesOf } from '#test/invoicing/datev-judge.ts'
import { seller } from '#test/invoicing/invoices.ts'
import { at, readXml } from '#test/invoicing/xml-tree.ts'
import { faultsOf } from '#test/invoicing/xrechnung-judge.ts'
import { codeOf } from '#test/support/api.ts'
import { billing } from '#test/support/billing.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

const datev = {
  consultant: '29098',
  client: '55003',
  revenue_account_19: '4400',
  revenue_account_7: '4300',
  revenue_account_0: '4200',
  debtor_account: '10000',
}
const buyer = {
  name: 'Größl & Söhne GmbH',
  street: 'Hauptstraße 1',
  postcode: '20095',
  city: 'Hamburg',
  country: 'DE',
  email: 'buchhaltung@groessl.example',
}
const fees = { text: 'Beratung', quantity: '1.5', unit_price: '233.3333' }
const book = { text: 'Fachbuch', unit_price: '49.99', tax_rate: '7' }
const costs = { text: 'Gerichtskosten', unit_price: '161', tax_rate: '0' }

let firm: Firm
/** The lawsuit after work out of court: 460.85 + 425.40 - 230.43 + 20.00. */
const lawsuit = {
  value: '5000',
  ordered_on: '2026-03-02',
  fees: [{ vv: '3100' }, { vv: '3104' }],
  credited: [{ vv: '2300', rate: '1.3' }],
  expenses: [{ vv: '7002' }],
}

/** An issued invoice, one that was cancelled, one of calculated fees that was cancelled, and what cancels each. */
let invoices: Record<'issued' | 'cancelled' | 'cancellation' | 'fees' | 'cancellation of fees', string>
beforeAll(async () => {
  firm = await newFirm()
  const { makeCase, makeTime, makeDraft, act } = billing(firm)
  await firm.owner('PATCH', '/api/v1/workspace', { body: { seller, datev } })
  const caseId = await makeCase()
  const time = await makeTime(caseId, { minutes: 100, rate: '210.00' })
  const fields = { buyer, buyer_reference: '04011000-1234512345-06' }
  const draft = async (lines: object[], more = {}): Promise<string> =>
    (await makeDraft(caseId, { ...fields, lines, ...more })).id
  const issued = await draft([fees, book, costs, { time_entry_id: time.id }])
  const cancelled = await draft([fees, { ...fees, text: 'Nachlass', quantity: '-1', unit_price: '10' }])
  await draft([fees])
  await act(issued, 'issue')
  await act(cancelled, 'issue')
  const cancellation = (await act(cancelled, 'cancel')).body.cancelled_by
  const ofFees = await draft([costs], { rvg: lawsuit })
  await act(ofFees, 'issue')
  const feesCancelled = (await act(ofFees, 'cancel')).body.cancelled_by
  invoices = { issued, cancelled, cancellation, fees: ofFees, 'cancellation of fees': feesCancelled }
})

describe('an export of bookings', () => {
  it('has the published format, and each invoice to the cent under the accounts of the workspace', async () => {
    const { id } = await aConfig(firm, {
      name: 'Ausgang',
      source: 'invoices',
      format: 'csv',
      csv_dialect: 'datev',
    })

    const { status, headers, bytes } = await firm.owner('GET', `${configsPath}/${id}/execute`)

    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=windows-1252'])
    expect(headers.get('content-disposition')).toContain('EXTF_Ausgang.csv')
    expect(faultsOfBatch(bytes)).toEqual([])
    // 1.5 × 233.3333 = 350.00 and 100 minutes at 210.00 = 350.00 at 19 %; 49.99 at 7 %; 161.00 at 0 %; 340.00 at 19 %, twice.
    const bookings = bookingsOf(bytes).map(({ amount, side, contra, number }) => [
      number.slice(-4),
      amount,
      side,
      contra,
    ])
    expect(bookings.toSorted()).toEqual([
      ['0001', '161,00', 'S', '4200'],
      ['0001', '53,49', 'S', '4300'],
      ['0001', '833,00', 'S', '4400'],
      ['0002', '404,60', 'S', '4400'],
      ['0003', '404,60', 'H', '4400'],
      // The lawsuit, 675.82 at 19 %, and court costs; then their cancellation.
      ['0004', '161,00', 'S', '4200'],
      ['0004', '804,23', 'S', '4400'],
      ['0005', '161,00', 'H', '4200'],
      ['0005', '804,23', 'H', '4400'],
    ])
    expect(bookingsOf(bytes)[0]?.text).toMatch(/^Honorar \S+ Größl & Söhne GmbH$/)
  })

  it('with the status of issued invoices has paid and cancelled ones, too', async () => {
    const booked = async (filters: object) => {
      const { id } = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev', filters })
      return bookingsOf((await firm.owner('GET', `${configsPath}/${id}/execute`)).bytes)
    }

    expect(await booked({ status: 'issued' })).toEqual(await booked({}))
    const cancelled = (await booked({ status: 'cancelled' })).map(({ number, side }) => [
      number.slice(-4),
      side,
    ])
    expect(cancelled.toSorted()).toEqual([
      ['0002', 'S'],
      ['0004', 'S'],
      ['0004', 'S'],
    ])
  })

  it('has an account and the VAT id of the recipient for reverse charge', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const accounts = { ...datev, revenue_account_reverse_charge: '4336' }
    await own.owner('PATCH', '/api/v1/workspace', { body: { datev: accounts } })
    const austrian = { ...buyer, country: 'AT', vat_id: 'ATU 12345678' }
    const { id: invoice } = await makeDraft(await makeCase(), {
      buyer: austrian,
      lines: [{ ...fees, tax_rate: '0' }],
    })
    await act(invoice, 'issue')
    const { id } = await aConfig(own, { source: 'invoices', format: 'csv', csv_dialect: 'datev' })

    const { bytes } = await own.owner('GET', `${configsPath}/${id}/execute`)

    expect(faultsOfBatch(bytes)).toEqual([])
    expect(bookingsOf(bytes)).toEqual([expect.objectContaining({ contra: '4336', vatId: 'ATU12345678' })])
  })

  it('of a year without invoices is a header alone', async () => {
    const filters = { date_from: '2019-01-01' }
    const { id } = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev', filters })

    const { bytes } = await firm.owner('GET', `${configsPath}/${id}/execute`)

    expect(faultsOfBatch(bytes)).toEqual([])
    expect(linesOf(bytes)).toHaveLength(2)
    expect(linesOf(bytes)[0]).toContain(';29098;55003;20190101;4;20190101;20191231;')
  })
})

describe('the XRechnung', () => {
  it.each([
    'issued',
    'cancelled',
    'cancellation',
    'fees',
    'cancellation of fees',
  ] as const)('of one that is %s follows every rule', async (which) => {
    const xml = await xrechnungOf(invoices[which])

    expect(faultsOf(xml)).toEqual([])
  })

  it.runIf(schemaIsThere())('is valid to the schema of UN/CEFACT', async () => {
    const documents = await Promise.all(Object.values(invoices).map(xrechnungOf))

    expect(documents.map(schemaFaultsOf)).toEqual([[], [], [], [], []])
  })

  it('has a line for each calculated fee; a credited one has the quantity -1 and a positive price', async () => {
    const lines = (xml: string) =>
      at(readXml(xml), 'rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem').map((line) =>
        [name, quantity, price, net].map((path) => at(line, path)[0]?.text),
      )
    const credit = 'Anrechnung der Gebühr Nr. 2300 VV RVG, Vorbem. 3 Abs. 4 VV RVG, § 15a RVG'

    expect(lines(await xrechnungOf(invoices.fees))).toEqual([
      ['Verfahrensgebühr, Nr. 3100 VV RVG, Wert 5.000,00 €, Satz 1,3', '1', '460.85', '460.85'],
      ['Terminsgebühr, Nr. 3104 VV RVG, Wert 5.000,00 €, Satz 1,2', '1', '425.4', '425.40'],
      [`${credit}, Wert 5.000,00 €, Satz 0,65`, '-1', '230.43', '-230.43'],
      ['Pauschale für Post- und Telekommunikationsdienstleistungen, Nr. 7002 VV RVG', '1', '20', '20.00'],
      ['Gerichtskosten', '1', '161', '161.00'],
    ])
    const reversed = lines(await xrechnungOf(invoices['cancellation of fees']))
    expect(reversed.map((line) => line.slice(1))).toEqual([
      ['-1', '460.85', '-460.85'],
      ['-1', '425.4', '-425.40'],
      ['1', '230.43', '230.43'],
      ['-1', '20', '-20.00'],
      ['-1', '161', '-161.00'],
    ])
  })
})

describe('an invoice as XRechnung (X8)', () => {
  const path = '/api/v1/invoices'
  const address = { street: 'Weg 1', postcode: '10115', city: 'Berlin', country: 'DE', email: 'a@example.de' }
  const vogt = {
    name: 'Vogt & Partner',
    ...address,
    vat_id: 'DE123456789',
    contact_name: 'Dr. Jana Vogt',
    phone: '+49 30 1234567',
    iban: 'DE02120300000000202051',
  }
  const complete = { buyer: { name: 'Müller <GmbH> & Co.', ...address }, buyer_reference: '991-01234-44' }

  it('is XML once it is issued and nothing is missing, also if it is a cancellation', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const its = await makeCase()
    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: vogt } })
    const { id } = await makeDraft(its, complete)
    const early = await own.owner('GET', `${path}/${id}/xrechnung`)
    const { body: issued } = await act(id, 'issue')
    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: { name: 'Anders', street: null } } })
    const written = await own.owner('GET', `${path}/${id}/xrechnung`)
    const { cancelled_by } = (await act(id, 'cancel')).body
    const reverse = await own.owner('GET', `${path}/${cancelled_by}/xrechnung`)

    expect(codeOf(early)).toEqual([409, 'INVOICE_NOT_ISSUED'])
    expect(written.status).toBe(200)
    expect(written.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(written.headers.get('content-disposition')).toContain('attachment')
    expect(written.body).toContain(`<ram:ID>${issued.number}</ram:ID>`)
    expect(written.body).toContain('Müller &lt;GmbH&gt; &amp; Co.')
    expect(written.body).toContain('<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>')
    // The firm as it was when the invoice was issued.
    expect(written.body).toContain('Vogt &amp; Partner')
    expect(reverse.body).toContain('<ram:GrandTotalAmount>-119.00</ram:GrandTotalAmount>')
    expect(reverse.body).toContain('Anders')
    expect(reverse.body).toContain(issued.number)
  })

  it('of a cancellation is refused if the cancelled invoice is no longer stored, and `cancels` is named', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: vogt } })
    const { id } = await makeDraft(await makeCase(), complete)
    await act(id, 'issue')
    const { cancelled_by } = (await act(id, 'cancel')).body
    await invoiceEntity(await sharedTable())
      .delete({ workspace_id: own.workspace.id, id })
      .go()

    const answer = await own.owner('GET', `${path}/${cancelled_by}/xrechnung`)

    expect(codeOf(answer)).toEqual([409, 'XRECHNUNG_INCOMPLETE'])
    expect(answer.body.error.details).toEqual([
      {
        path: 'cancels',
        message: 'The number and date of the cancelled invoice (BG-3) are no longer stored.',
      },
    ])
  })

  it('never changes once nothing is missing, whatever the firm adds or changes later', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const less = { ...vogt, street: null, vat_id: null, tax_number: '37/123/45678' }
    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: less } })
    const { id } = await makeDraft(await makeCase(), complete)
    await act(id, 'issue')
    const first = await own.owner('GET', `${path}/${id}/xrechnung`)

    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: vogt } })

    const later = await own.owner('GET', `${path}/${id}/xrechnung`)
    expect([first.status, later.body]).toEqual([200, first.body])
  })

  it('has no address of two places, if the firm completes its address after it has moved', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const set = (seller: object) => own.owner('PATCH', '/api/v1/workspace', { body: { seller } })
    await set({ ...vogt, street: null, postcode: null, city: 'Hamburg' })
    const { id } = await makeDraft(await makeCase(), complete)
    await act(id, 'issue')

    await set({ street: 'Lindenstraße 7', postcode: '10969', city: 'Berlin' })

    const { bytes } = await own.owner('GET', `${path}/${id}/xrechnung`)
    const [firmAddress] = at(
      readXml(new TextDecoder().decode(bytes)),
      'rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty/ram:PostalTradeAddress',
    )
    expect(firmAddress?.children.map(({ text }) => text.trim())).toEqual([
      '10969',
      'Lindenstraße 7',
      'Berlin',
      'DE',
    ])
  })

  it('names everything that is missing, and uses data that the workspace gets later', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const its = await makeCase()
    const [bare, addressed] = [await makeDraft(its), await makeDraft(its, complete)]
    await act(bare.id, 'issue')
    await act(addressed.id, 'issue')
    const missing = await own.owner('GET', `${path}/${bare.id}/xrechnung`)
    const withoutSeller = await own.owner('GET', `${path}/${addressed.id}/xrechnung`)
    await own.owner('PATCH', '/api/v1/workspace', { body: { seller: vogt } })
    const mended = await own.owner('GET', `${path}/${addressed.id}/xrechnung`)

    expect(codeOf(missing)).toEqual([409, 'XRECHNUNG_INCOMPLETE'])
    const paths = missing.body.error.details.map((detail: { path: string }) => detail.path)
    expect(paths).toEqual(
      expect.arrayContaining(['seller.name', 'seller.iban', 'buyer.city', 'buyer_reference']),
    )
    expect(codeOf(withoutSeller)).toEqual([409, 'XRECHNUNG_INCOMPLETE'])
    expect(mended.status).toBe(200)
  })
})

const name = 'ram:SpecifiedTradeProduct/ram:Name'
const quantity = 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity'
const price = 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount'
const net =
  'ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount'

async function xrechnungOf(id: string): Promise<string> {
  const { status, bytes } = await firm.owner('GET', `/api/v1/invoices/${id}/xrechnung`)
  expect(status).toBe(200)
  return new TextDecoder().decode(bytes)
}
