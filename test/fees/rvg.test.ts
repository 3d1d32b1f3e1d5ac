import { describe, expect, it } from 'vitest'
import { vvFees } from '#fees/vv.ts'
import { rvg, trial } from '#test/support/rvg.ts'

/** The fixed rates in the text of the Vergütungsverzeichnis (2025). */
const statute =
  '1000 1.5; 1001 1.5; 1002 1.5; 1003 1.0; 1004 1.3; 1010 0.3; 2101 1.3; 2301 0.3; 2303 1.5; 3100 1.3; 3101 0.8; 3104 1.2; 3105 0.5; 3200 1.6; 3201 1.1; 3202 1.2; 3203 0.5; 3206 1.6; 3207 1.1; 3208 2.3; 3209 1.8; 3210 1.5; 3211 0.8; 3300 1.6; 3301 1.0; 3305 1.0; 3306 0.5; 3307 0.5; 3308 0.5; 3309 0.3; 3310 0.3; 3311 0.4; 3312 0.4; 3313 1.0; 3314 0.5; 3315 1.5; 3316 1.0; 3317 1.0; 3318 1.0; 3319 3.0; 3320 0.5; 3321 0.5; 3322 0.5; 3323 0.5; 3324 1.0; 3325 0.75; 3326 0.75; 3327 0.75; 3328 0.5; 3329 0.5; 3332 0.5; 3333 0.4; 3334 1.0; 3338 0.8; 3403 0.8; 3404 0.3; 3500 0.5; 3502 1.0; 3503 0.5; 3504 1.6; 3505 1.0; 3506 1.6; 3507 1.1; 3508 2.3; 3509 1.8; 3510 1.3; 3513 0.5; 3514 1.2; 3516 1.2'

/** Reckoned by hand, each with where it is from. The amounts of the lines, then the net. */
const cases: [title: string, source: string, body: object, amounts: string[], net: string][] = [
  [
    'a lawsuit over 5,000',
    'BRAK-Mitt. 3/2025 S. 180: 460,85 + 425,40 + 20',
    { value: '5000', ...trial },
    ['460.85', '425.40', '20.00'],
    '906.25',
  ],
  [
    'the same by the old law',
    'BRAK-Mitt. 3/2025 S. 180: 855,00; 1,3 × 334 + 1,2 × 334 + 20',
    { value: '5000', ordered_on: '2025-05-31', ...trial },
    ['434.20', '400.80', '20.00'],
    '855.00',
  ],
  [
    'legal aid, 5,000',
    'BRAK-Mitt. 3/2025 S. 180: 414,70 + 382,80 + 20',
    { value: '5000', legal_aid: true, ...trial },
    ['414.70', '382.80', '20.00'],
    '817.50',
  ],
  [
    'legal aid, 5,000, by the old law',
    'BRAK-Mitt. 3/2025 S. 180: 730,00; 2,5 × 284 + 20',
    { value: '5000', ordered_on: '2025-05-31', legal_aid: true, ...trial },
    ['369.20', '340.80', '20.00'],
    '730.00',
  ],
  [
    'legal aid over 80,000',
    'BRAK-Mitt. 3/2025 S. 180: 1.021,80 + 943,20 + 20',
    { value: '80000.01', legal_aid: true, ...trial },
    ['1021.80', '943.20', '20.00'],
    '1985.00',
  ],
  [
    'legal aid over 80,000 by the old law',
    'BRAK-Mitt. 3/2025 S. 180: 1.667,50; 2,5 × 659 + 20',
    { value: '100000', ordered_on: '2025-05-31', legal_aid: true, ...trial },
    ['856.70', '790.80', '20.00'],
    '1667.50',
  ],
  [
    'legal aid up to 4,000',
    '§ 49 RVG begins above 4,000: § 13 RVG counts, 1,3 × 295',
    { value: '4000', legal_aid: true, fees: [{ vv: '3100' }] },
    ['383.50'],
    '383.50',
  ],
  [
    'work out of court',
    'Nr. 2300 VV RVG, usually 1,3 × 354,50; Nr. 7002',
    { value: '5000', fees: [{ vv: '2300' }], expenses: [{ vv: '7002' }] },
    ['460.85', '20.00'],
    '480.85',
  ],
  [
    'the lawsuit after that',
    'Vorbem. 3 Abs. 4 VV RVG: 0,65 × 354,50 = 230,425; Nr. 7002 of the full fees (BGH; § 15a RVG)',
    { value: '5000', ...trial, credited: [{ vv: '2300', rate: '1.3' }] },
    ['460.85', '425.40', '-230.43', '20.00'],
    '675.82',
  ],
  [
    'legal aid that was asked for more than is in dispute then',
    '§ 16 Nr. 2, § 15 Abs. 3 RVG: one matter; 1,3 × 533 + 1,0 × 176 = 868,90, at most 1,3 × 652 = 847,60',
    {
      value: '10000',
      fees: [
        { vv: '3335', rate: '1.0', value: '2000' },
        { vv: '3100', value: '8000' },
      ],
    },
    ['176.00', '692.90', '-21.30'],
    '847.60',
  ],
  [
    'legal aid of 2018',
    '§ 49 RVG of 2013: 1,3 × 257 + 1,2 × 257 + 20',
    { value: '5000', ordered_on: '2018-05-04', legal_aid: true, ...trial },
    ['334.10', '308.40', '20.00'],
    '662.50',
  ],
  [
    'a journey of 2018',
    'Nr. 7003, 7005 VV RVG of 2013: 1,3 × 80; 100 × 0,30; 4 to 8 hours 40',
    {
      value: '1000',
      ordered_on: '2018-05-04',
      fees: [{ vv: '3100' }],
      expenses: [
        { vv: '7003', kilometres: '100' },
        { vv: '7005', hours: '4.01' },
      ],
    },
    ['104.00', '30.00', '40.00'],
    '174.00',
  ],
  [
    'a hearing for another lawyer',
    'Nr. 3401, 3402 VV RVG: half of 1,3 is 0,65 × 354,50 = 230,43; 1,2 × 354,50',
    {
      value: '5000',
      fees: [
        { vv: '3401', rate: '0.65' },
        { vv: '3402', rate: '1.2' },
      ],
    },
    ['230.43', '425.40'],
    '655.83',
  ],
  [
    'money paid out',
    'Nr. 1009 VV RVG: 1 % of 2.500 + 0,5 % of 7.500 + 0,25 % of 2.000',
    { value: '12000', fees: [{ vv: '1009', value: '12000' }] },
    ['67.50'],
    '67.50',
  ],
  [
    'three clients',
    'Nr. 1008 VV RVG: 1,3 + 2 × 0,3 = 1,9 × 354,50 = 673,55; the Terminsgebühr is not raised',
    { value: '5000', clients: 3, ...trial },
    ['673.55', '425.40', '20.00'],
    '1118.95',
  ],
  [
    'ten clients',
    'Nr. 1008 Abs. 3 VV RVG: together at most 2,0; 3,3 × 354,50 = 1.169,85',
    { value: '5000', clients: 10, fees: [{ vv: '3100' }] },
    ['1169.85'],
    '1169.85',
  ],
  [
    'a settlement of more than the lawsuit is about',
    '§ 15 Abs. 3 RVG: 1,3 × 652 = 847,60 and 0,8 × 354,50 = 283,60, at most 1,3 × 762 = 990,60; 1,0 × 652 and 1,5 × 354,50 = 531,75, at most 1,5 × 762 = 1.143; 1,2 × 762 = 914,40',
    {
      value: '10000',
      fees: [
        { vv: '3100' },
        { vv: '3101', value: '5000' },
        { vv: '3104', value: '15000' },
        { vv: '1003' },
        { vv: '1000', value: '5000' },
      ],
      expenses: [{ vv: '7002' }],
    },
    ['847.60', '283.60', '914.40', '652.00', '531.75', '-140.60', '-40.75', '20.00'],
    '3068.00',
  ],
  [
    'the least fee',
    '§ 13 Abs. 3 RVG: 0,3 × 49 = 14,70, at least 15',
    { value: '500', ordered_on: '2024-01-02', fees: [{ vv: '3309' }], expenses: [{ vv: '7002' }] },
    ['15.00', '3.00'],
    '18.00',
  ],
  [
    'an appeal of 2018',
    '§ 60 RVG: table of 2013; 1,6 × 558 + 1,2 × 558 + 20',
    {
      value: '10000',
      ordered_on: '2018-05-04',
      fees: [{ vv: '3200' }, { vv: '3202' }],
      expenses: [{ vv: '7002' }],
    },
    ['892.80', '669.60', '20.00'],
    '1582.40',
  ],
  [
    'an appeal on points of law before the BGH',
    'Nr. 3208, 3210 VV RVG: 2,3 × 1.456,50 = 3.349,95 and 1,5 × 1.456,50 = 2.184,75',
    { value: '60000', fees: [{ vv: '3208' }, { vv: '3210' }] },
    ['3349.95', '2184.75'],
    '5534.70',
  ],
  [
    'a journey with copies',
    'Teil 7 VV RVG: 50 × 0,50 + 70 × 0,15; 240 × 0,42; 4 to 8 hours 50; a hotel',
    {
      value: '1000',
      fees: [{ vv: '3100' }],
      expenses: [
        { vv: '7000', pages: 120 },
        { vv: '7003', kilometres: '240' },
        { vv: '7005', hours: '6.5' },
        { vv: '7006', amount: '95.30' },
      ],
    },
    ['120.90', '35.50', '100.80', '50.00', '95.30'],
    '402.50',
  ],
  [
    'an examination of an appeal',
    'Nr. 2100 VV RVG: 0,75 × 1.013 = 759,75',
    { value: '30000', fees: [{ vv: '2100', rate: '0.75' }] },
    ['759.75'],
    '759.75',
  ],
]

describe('fees of a lawyer', () => {
  it.each(cases)('%s (%s)', (_title, _source, body, amounts, net) => {
    const result = rvg(body)

    expect(result.lines.map(({ amount }) => amount)).toEqual(amounts)
    expect(result.net).toBe(net)
  })

  it('are twenty cases and more', () => expect(cases.length).toBeGreaterThanOrEqual(20))

  it('have VAT, rounded once, and none where § 19 UStG says so', () => {
    const { net, vat, gross } = rvg({ value: '5000', ...trial })

    expect([net, vat, gross]).toEqual(['906.25', '172.19', '1078.44'])
    expect(rvg({ value: '5000', ...trial, vat_rate: '0' })).toMatchObject({ vat: '0.00', gross: '906.25' })
  })

  it('name number, value, rate, rule and table of each line', () => {
    expect(rvg({ value: '5000', clients: 2, fees: [{ vv: '3100' }] }).lines).toEqual([
      {
        vv: '3100',
        number: 'Nr. 3100, 1008 VV RVG',
        name: 'Verfahrensgebühr',
        value: '5000.00',
        rate: '1.6',
        amount: '567.20',
        rule: '1,6 × 354,50 € (Wert 5.000,00 €, § 13 Abs. 1 RVG). Satz 1,3, erhöht um 0,3 für 1 weiteren Auftraggeber (Nr. 1008 VV RVG).',
        table: 'RVG ab 01.06.2025',
        checked_until: '2025-11-13',
      },
    ])
  })

  it('are raised by the clients of the fee, where it has its own', () => {
    const { lines } = rvg({
      value: '5000',
      clients: 3,
      fees: [{ vv: '3100', clients: 1 }, { vv: '3305' }, { vv: '3308' }],
    })

    expect(lines.map(({ rate }) => rate)).toEqual(['1.3', '1.6', '0.5'])
  })

  it('above 1.3 for Nr. 2300 need reasons', () => {
    expect(rvg({ value: '5000', fees: [{ vv: '2300' }] }).warnings).toEqual([])
    expect(rvg({ value: '5000', fees: [{ vv: '2300', rate: '1.4' }] }).warnings[0]).toContain('umfangreich')
  })

  it('end at a value of 30 million, with a warning', () => {
    const { lines, warnings } = rvg({ value: '30000000.01', fees: [{ vv: '1003' }] })

    expect(lines[0]).toMatchObject({ value: '30000000.00', amount: '107002.00' })
    expect(warnings[0]).toContain('30.000.000,00 € begrenzt (§ 22 Abs. 2 Satz 1 RVG')
    expect(rvg({ value: '30000000', fees: [{ vv: '1003' }] }).warnings).toEqual([])
  })

  it.each([
    ['20 + 20 million', ['20000000', '20000000'], '40000000.00', '142002.00', 0],
    ['40 + 10 million, of which 30 + 10 count', ['40000000', '10000000'], '40000000.00', '142002.00', 1],
    ['4 × 30 million, of which 100 count', Array(4).fill('30000000'), '100000000.00', '352002.00', 1],
  ])('of clients with different objects end at 30 million each and 100 together: %s', (_title, client_values, value, amount, warned) => {
    const sum = String(client_values.reduce((total, one) => total + Number(one), 0))
    const { lines, warnings } = rvg({ value: sum, client_values, fees: [{ vv: '1003' }] })

    // 3,752 + 175 for each started 50,000 above 500,000
    expect(lines[0]).toMatchObject({ value, amount, rate: '1.0' })
    expect(warnings).toHaveLength(warned)
    if (warned) expect(warnings[0]).toContain('§ 22 Abs. 2 Satz 2 RVG')
  })

  it('of different matters in one calculation have a warning', () => {
    const separate = (...vv: string[]) =>
      rvg({ value: '5000', fees: vv.map((one) => ({ vv: one })) }).warnings

    expect(separate('2300', '3100')[0]).toContain('§§ 17, 18 RVG')
    expect(separate('3305', '3100')).toHaveLength(1)
    expect(separate('3100', '3200')).toHaveLength(1)
    expect(separate('3100', '3309')).toHaveLength(1)
    expect(separate('2300', '2303')).toHaveLength(1)
    expect(separate('3508', '3208')).toHaveLength(1)
    expect(separate('3504', '3200')).toHaveLength(1)
    expect(separate('3100', '3500')).toHaveLength(1)
    expect(separate('3502', '3516')).toEqual([])
    expect(separate('3305', '3308', '1000')).toEqual([])
    expect(separate('3206', '3210', '1004')).toEqual([])
  })

  it('of legal aid and of the Beschwerde against its refusal are charged beside each other', () => {
    const { lines } = rvg({ value: '5000', fees: [{ vv: '3335', rate: '1.0' }, { vv: '3500' }] })

    expect(lines.map(({ amount }) => amount)).toEqual(['354.50', '177.25'])
  })

  it('of work out of court have a warning with legal aid, which does not pay them', () => {
    const warned = (body: object) => rvg({ value: '10000', legal_aid: true, ...body }).warnings

    expect(warned({ fees: [{ vv: '2300' }] })).toEqual([expect.stringContaining('Nr. 2300 VV RVG zahlt')])
    expect(warned({ fees: [{ vv: '3100' }, { vv: '1003' }] })).toEqual([])
    expect(warned({ fees: [{ vv: '2300' }], legal_aid: false })).toEqual([])
  })

  it('for Nr. 3308 are raised by several clients only if Nr. 3305 is not', () => {
    const ratesOf = (...fees: object[]) =>
      rvg({ value: '5000', clients: 2, fees }).lines.map(({ rate }) => rate)

    expect(ratesOf({ vv: '3305' }, { vv: '3308' })).toEqual(['1.3', '0.5'])
    expect(ratesOf({ vv: '3305', clients: 1 }, { vv: '3308' })).toEqual(['1.0', '0.8'])
    expect(ratesOf({ vv: '3308' })).toEqual(['0.8'])
  })

  it('for money that is paid out are graded, at least 1 EUR, and arise for each payment', () => {
    const fees = ['50', '2500', '5000', '20000'].map((value) => ({ vv: '1009', value }))

    // Nr. 1009 VV RVG: 1 % of 2,500, 0.5 % of the next 7,500, 0.25 % of the rest
    expect(rvg({ value: '5000', fees }).lines.map(({ amount, rate }) => [amount, rate])).toEqual([
      ['1.00', null],
      ['25.00', null],
      ['37.50', null],
      ['87.50', null],
    ])
  })

  it('have the rates of the statute', () => {
    for (const entry of statute.split('; ')) {
      const [vv, rate] = entry.split(' ')
      expect(`${vv} ${rvg({ value: '5000', fees: [{ vv }] }).lines[0]?.rate}`).toBe(entry)
      expect(rate).toMatch(/^\d\.\d+$/)
    }
    expect(statute.split('; ').map((entry) => entry.slice(0, 4))).toEqual(
      Object.keys(vvFees).filter((vv) => typeof vvFees[vv]?.rates === 'string'),
    )
  })

  it.each([
    ['2100', '0.5 1.0', '0.49 1.01'],
    ['2201', '0.1 0.5', '0.09 0.51'],
    ['2300', '0.5 2.5', '0.49 2.51'],
    ['2200', '0.3 1.3 2.3', '0.2 1.4'],
    ['3330', '0.3 0.5', '0.6 1.3'],
    ['3331', '0.3 0.5', '0.6 1.2'],
    ['3335', '0.3 0.75 1.0', '0.29 0.9 1.3'],
    ['3337', '0.3 0.5', '0.15 0.8'],
    ['3400', '0.3 0.8 1.0', '0.65 1.3'],
    ['3401', '0.15 0.65 0.8 1.15', '0.1 1.0'],
    ['3402', '0.3 1.2 1.5', '1.0 1.3'],
    ['3405', '0.15 0.4 0.5', '0.45 0.65'],
  ])('for Nr. %s can have the rates %s, but not %s', (vv, possible, refused) => {
    const charged = (rate: string) => rvg({ value: '5000', fees: [{ vv, rate }] }).lines[0]?.rate

    for (const rate of possible.split(' ')) expect(charged(rate)).toBe(rate)
    for (const rate of refused.split(' ')) expect(() => charged(rate)).toThrow(`Nr. ${vv} VV RVG`)
  })

  it('of an order in the future are provisional', () => {
    expect(rvg({ value: '5000', ordered_on: '2026-11-26', ...trial }).provisional).toBe(false)
    expect(rvg({ value: '5000', ordered_on: '2026-11-27', ...trial })).toMatchObject({
      provisional: true,
      net: '906.25',
    })
  })
})
