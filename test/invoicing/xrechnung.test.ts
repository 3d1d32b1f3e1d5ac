import { SaxesParser } from 'saxes'
import { expect, it } from 'vitest'
import type { Invoice, Seller } from '#billing/schema.ts'
import { type PrecedingInvoice, xrechnung } from '#invoicing/xrechnung.ts'
import { cancellationOf, invoiceOf, seller } from './invoices.ts'

const hours = { quantity: '1.5', unit_price: '240', tax_rate: '19', time_entry_id: 'entry' }

it('what is missing is named by the field that sets it', () => {
  const invoice = invoiceOf([hours], { buyer_reference: null })
  invoice.buyer.postcode = null

  const answer = xrechnung(invoice, { ...seller, vat_id: null, tax_number: null, iban: 'DE00' }, null)

  const paths = 'missing' in answer ? answer.missing.map(({ path }) => path) : []
  expect(paths).toEqual(['seller.iban', 'seller.vat_id', 'buyer.postcode', 'buyer_reference'])
})

it('characters that XML forbids are replaced, and all others stay', () => {
  const text = 'A\u0000B\u001fC\uD800D\uFFFE <&>"\' 😀 ]]>'

  const xml = xmlOf(invoiceOf([{ ...hours, text }]))

  expect(textsOf(xml, 'ram:Name')[0]).toBe('A\uFFFDB\uFFFDC\uFFFDD\uFFFD <&>"\' 😀 ]]>')
})

it('a cancellation is a corrected invoice of negative amounts that names the first one', () => {
  const first = invoiceOf([hours])

  const xml = xmlOf(cancellationOf(first), seller, first)

  expect(textsOf(xml, 'ram:TypeCode')[0]).toBe('384')
  expect(textsOf(xml, 'ram:GrandTotalAmount')).toEqual(['-428.40'])
  expect(textsOf(xml, 'ram:BilledQuantity')).toEqual(['-1.5'])
  expect(textsOf(xml, 'ram:IssuerAssignedID')).toEqual(['R-2026-0001'])
})

function xmlOf(invoice: Invoice, firm: Seller = seller, preceding: PrecedingInvoice | null = null): string {
  const answer = xrechnung(invoice, firm, preceding)
  if ('missing' in answer) throw new Error(JSON.stringify(answer.missing))
  return answer.xml
}

/** The texts of all elements of a name, as a parser reads them. */
function textsOf(xml: string, name: string): string[] {
  const texts: string[] = []
  const parser = new SaxesParser()
  let text: string | undefined
  parser.on('opentag', (tag) => {
    if (tag.name === name) text = ''
  })
  parser.on('text', (part) => {
    if (text !== undefined) text += part
  })
  parser.on('closetag', (tag) => {
    if (tag.name !== name || text === undefined) return
    texts.push(text)
    text = undefined
  })
  parser.write(xml).close()
  return texts
}
