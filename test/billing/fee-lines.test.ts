import { describe, expect, it } from 'vitest'
import { basisOf, feeLines } from '#billing/fee-lines.ts'
import { calculateRvg } from '#fees/rvg.ts'
import { InvoiceBasis, RvgInput } from '#fees/rvg-schema.ts'

const body = {
  value: '5000',
  ordered_on: '2020-12-31',
  fees: [{ vv: '3100' }, { vv: '1009', value: '2500' }],
  credited: [{ vv: '2300', rate: '1.3', ordered_on: '2020-02-03' }],
  expenses: [{ vv: '7003', kilometres: '100' }],
}
const input = RvgInput.parse(body)
const result = calculateRvg(input, { today: '2026-11-26' })

describe('an invoice of a calculation', () => {
  it('names number, value and rate of each line, of a table that has expired too (§ 10 Abs. 2 RVG)', () => {
    // The table of 2013: 1.3 × 303 and 0.65 × 303; 100 × 0.30
    expect(feeLines(result).map(({ text, quantity, net }) => [text, quantity, net])).toEqual([
      ['Verfahrensgebühr, Nr. 3100 VV RVG, Wert 5.000,00 €, Satz 1,3', '1', '393.90'],
      ['Hebegebühr, Nr. 1009 VV RVG, Wert 2.500,00 €', '1', '25.00'],
      [
        'Anrechnung der Gebühr Nr. 2300 VV RVG, Vorbem. 3 Abs. 4 VV RVG, § 15a RVG, Wert 5.000,00 €, Satz 0,65',
        '-1',
        '-196.95',
      ],
      ['Fahrtkosten, eigenes Kraftfahrzeug, Nr. 7003 VV RVG', '1', '30.00'],
    ])
  })

  it('keeps the request in full', () => {
    const { request } = InvoiceBasis.parse(basisOf(input, result))

    expect(request).toMatchObject({ ...body, client_values: null, vat_rate: '19', legal_aid: false })
    expect(result.lines.map(({ table }) => table)).toEqual([
      'RVG ab 01.08.2013',
      null,
      'RVG ab 01.08.2013',
      'VV RVG Teil 7 ab 01.08.2013',
    ])
  })

  it('reads a basis from before clients and credits had values and days of their own', () => {
    const { request, ...rest } = basisOf(input, result)
    const { client_values: _, ...older } = request
    const credited = request.credited.map(({ ordered_on: __, ...credit }) => credit)

    expect(InvoiceBasis.parse({ request: { ...older, credited }, ...rest }).request).toEqual({
      ...older,
      credited,
    })
  })
})
