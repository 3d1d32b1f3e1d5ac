import { describe, expect, it } from 'vitest'
import { calculateCourt } from '#fees/court.ts'
import { CourtInput, RiskInput } from '#fees/court-schema.ts'
import { calculateRisk } from '#fees/risk.ts'
import { calculateRvg } from '#fees/rvg.ts'
import { RvgInput } from '#fees/rvg-schema.ts'

const context = { today: '2026-11-26' }
const rvg = (body: object) => calculateRvg(RvgInput.parse({ ordered_on: '2026-03-02', ...body }), context)
const court = (body: object) =>
  calculateCourt(CourtInput.parse({ law: 'GKG', pending_on: '2026-03-16', ...body }), context)
const risk = (body: object) =>
  calculateRisk(RiskInput.parse({ pending_on: '2026-03-16', ordered_on: '2026-03-02', ...body }), context)
const trial = { fees: [{ vv: '3100' }, { vv: '3104' }], expenses: [{ vv: '7002' }] }

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
    'credited at most at 0.75',
    'Vorbem. 3 Abs. 4 VV RVG: half of 2,0 is 1,0, so 0,75 × 354,50 = 265,875',
    { value: '5000', fees: [{ vv: '3100' }], credited: [{ vv: '2300', rate: '2.0' }] },
    ['460.85', '-265.88'],
    '194.97',
  ],
  [
    'credited by the lower value',
    'Vorbem. 3 Abs. 4 Satz 5 VV RVG: 0,65 × 176 of 2,000 EUR',
    { value: '5000', fees: [{ vv: '3100' }], credited: [{ vv: '2300', rate: '1.3', value: '2000' }] },
    ['460.85', '-114.40'],
    '346.45',
  ],
  [
    'credited never above the fee',
    '§ 15a RVG: 0,3 × 51,50 = 15,45 is all there is; 0,65 × 51,50 = 33,48',
    { value: '500', fees: [{ vv: '3309' }], credited: [{ vv: '2300', rate: '1.3' }] },
    ['15.45', '-15.45'],
    '0.00',
  ],
  [
    'a Mahnbescheid, then the lawsuit',
    'Anm. zu Nr. 3305 VV RVG: 1,0 × 354,50 is credited whole',
    { value: '5000', ...trial, credited: [{ vv: '3305', rate: '1.0' }] },
    ['460.85', '425.40', '-354.50', '20.00'],
    '551.75',
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
    expect(warnings[0]).toContain('§ 22 Abs. 2 RVG')
  })

  it('of an order in the future are provisional', () => {
    expect(rvg({ value: '5000', ordered_on: '2026-11-26', ...trial }).provisional).toBe(false)
    expect(rvg({ value: '5000', ordered_on: '2026-11-27', ...trial })).toMatchObject({
      provisional: true,
      net: '906.25',
    })
  })

  it.each<[string, object, string, string]>([
    [
      'a rate above its range',
      { fees: [{ vv: '2300', rate: '2.6' }] },
      'fees.0.rate',
      '0.5 to 2.5 (§ 14 Abs. 1 RVG)',
    ],
    ['a rate below its range', { fees: [{ vv: '2300', rate: '0.4' }] }, 'fees.0.rate', '0.5 to 2.5'],
    [
      'another rate than the fixed one',
      { fees: [{ vv: '3100', rate: '1.5' }] },
      'fees.0.rate',
      '1.3 (§ 2 Abs. 2 RVG',
    ],
    ['no rate, where none is usual', { fees: [{ vv: '2100' }] }, 'fees.0.rate', '0.5 to 1.0'],
    ['an unknown number', { fees: [{ vv: '9999' }] }, 'fees.0.vv', 'not known'],
    ['a fee that is not by value', { fees: [{ vv: '3102' }] }, 'fees.0.vv', '§ 3 RVG'],
    ['Nr. 1008 as a fee', { fees: [{ vv: '1008' }] }, 'fees.0.vv', '`clients`'],
    ['3100 with 3101', { fees: [{ vv: '3100' }, { vv: '3101' }] }, 'fees.1.vv', '§ 15 Abs. 2'],
    [
      '3100 with 3101 of the whole',
      { fees: [{ vv: '3100' }, { vv: '3101', value: '5000' }] },
      'fees.1.vv',
      '3100',
    ],
    ['1000 with 1003', { fees: [{ vv: '1000' }, { vv: '1003' }] }, 'fees.1.vv', 'exclude each other'],
    ['a fee twice', { fees: [{ vv: '3100' }, { vv: '3100', value: '100' }] }, 'fees.1.vv', 'arises once'],
    [
      '7002 twice',
      { fees: [{ vv: '3100' }], expenses: [{ vv: '7002' }, { vv: '7002' }] },
      'expenses.1.vv',
      'once',
    ],
    [
      '7001 beside 7002',
      { fees: [{ vv: '3100' }], expenses: [{ vv: '7002' }, { vv: '7001', amount: '9' }] },
      'expenses.1.vv',
      'Nr. 7001',
    ],
    [
      '7003 without kilometres',
      { fees: [{ vv: '3100' }], expenses: [{ vv: '7003' }] },
      'expenses.0.kilometres',
      'required',
    ],
    [
      '7002 with an amount',
      { fees: [{ vv: '3100' }], expenses: [{ vv: '7002', amount: '9' }] },
      'expenses.0.amount',
      '7002',
    ],
    [
      '25 hours in a day',
      { fees: [{ vv: '3100' }], expenses: [{ vv: '7005', hours: '25' }] },
      'expenses.0.hours',
      '24',
    ],
    ['an unknown expense', { fees: [{ vv: '3100' }], expenses: [{ vv: '7009' }] }, 'expenses.0.vv', '7008'],
    [
      'credit of a Terminsgebühr',
      { fees: [{ vv: '3100' }], credited: [{ vv: '3104', rate: '1.2' }] },
      'credited.0.vv',
      'not credited',
    ],
    [
      'credit on nothing',
      { fees: [{ vv: '2300' }], credited: [{ vv: '2300', rate: '1.3' }] },
      'credited.0',
      'Teil 3',
    ],
    [
      'credit above what can arise',
      { fees: [{ vv: '3100' }], credited: [{ vv: '2300', rate: '4.6' }] },
      'credited.0.rate',
      '2.5',
    ],
    [
      'legal aid of 2020',
      { fees: [{ vv: '3100' }], legal_aid: true, ordered_on: '2020-12-31' },
      'ordered_on',
      '§ 49 RVG',
    ],
  ])('are refused for %s', (_name, change, path, message) => {
    expect(() => rvg({ value: '5000', ...change })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [{ path: `body.${path}`, message: expect.stringContaining(message) }],
      }),
    )
  })

  it.each([
    { value: '0' },
    { value: '0.00' },
    { value: '-5' },
    { value: '5.001' },
    { value: '1.000,00' },
    { value: 5000.5 },
    { ordered_on: '2013-07-31' },
    { ordered_on: '2026-02-30' },
    { ordered_on: '2100-01-01' },
    { fees: [] },
    { fees: [{ vv: '31000' }] },
    { fees: [{ vv: '2300', rate: '1,3' }] },
    { clients: 0 },
    { clients: 1.5 },
    { vat_rate: '20' },
  ])('have no form such as %j', (change) => {
    const body = { value: '5000', ordered_on: '2026-03-02', ...trial }

    expect(RvgInput.safeParse(body).success).toBe(true)
    expect(RvgInput.safeParse({ ...body, ...change }).success).toBe(false)
  })
})

describe('court fees', () => {
  it.each([
    ['GKG', '5000', '2026-03-16', '1210', '511.50'],
    ['GKG', '60000', '2026-03-16', '1210', '2334.00'],
    ['GKG', '5000', '2025-05-31', '1210', '483.00'],
    ['GKG', '10000', '2026-03-16', '1220', '1132.00'],
    ['GKG', '10000', '2026-03-16', '1222', '566.00'],
    ['GKG', '10000', '2026-03-16', '1230', '1415.00'],
    ['GKG', '10000', '2026-03-16', '1232', '849.00'],
    ['GKG', '500', '2026-03-16', '1100', '38.00'],
    ['GKG', '500', '2025-05-31', '1100', '36.00'],
    ['GKG', '5000', '2026-03-16', '1100', '85.25'],
    ['FamGKG', '10000', '2026-03-16', '1110', '566.00'],
    ['FamGKG', '5000', '2026-03-16', '1220', '511.50'],
    ['FamGKG', '5000', '2026-03-16', '1222', '682.00'],
  ])('by %s of %s EUR, pendent on %s, Nr. %s are %s', (law, value, pending_on, kv, expected) => {
    const { lines, total } = court({ law, value, pending_on, kv: [kv] })

    expect(total).toBe(expected)
    expect(lines[0]).toMatchObject({ kv, number: `Nr. ${kv} KV ${law}`, rule: expect.stringContaining('×') })
  })

  it('of two instances are summed', () => {
    expect(court({ value: '5000', kv: ['1210', '1220'] }).total).toBe('1193.50')
  })

  it('end at a value of 30 million, and are provisional in the future', () => {
    const { total, warnings, provisional } = court({
      value: '40000000',
      pending_on: '2027-01-01',
      kv: ['1211'],
    })

    expect([total, provisional]).toEqual(['128038.00', true])
    expect(warnings[0]).toContain('§ 39 Abs. 2 GKG')
  })

  it.each<[object, string]>([
    [{ kv: ['9999'] }, 'body.kv.0'],
    [{ kv: ['1210', '1210'] }, 'body.kv.1'],
    [{ kv: ['1210', '1211'] }, 'body.kv.1'],
    [{ kv: ['1221', '1222'] }, 'body.kv.0'],
    [{ kv: ['1100'], pending_on: '2020-01-01' }, 'body.kv.0'],
    [{ law: 'FamGKG', kv: ['1220'], pending_on: '2020-12-31' }, 'body.pending_on'],
  ])('are refused for %j', (change, path) => {
    expect(() => court({ value: '5000', ...change })).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    )
  })
})

describe('the risk of a lawsuit', () => {
  it.each([
    ['5000', '511.50', '1078.44', '2668.38'],
    ['60000', '2334.00', '4356.89', '11047.78'],
  ])('over %s in the first instance is court %s, a lawyer %s, together %s', (value, fees, lawyer, total) => {
    const result = risk({ value, instances: 1 })

    expect(result.instances[0]).toMatchObject({
      instance: 1,
      court: { total: fees },
      own: { gross: lawyer },
      other: { gross: lawyer },
      total,
    })
    expect(result).toMatchObject({ total, bears: { own: total, other: '0.00' } })
  })

  it('of three instances is shared by the share of success, to the cent', () => {
    // 2668.38 + (682.00 + 2 × 1204.99) + (852.50 + 2 × 1626.85)
    const result = risk({ value: '5000', instances: 3, won_share: '0.3333' })

    expect(result.instances.map(({ total }) => total)).toEqual(['2668.38', '3091.98', '4106.20'])
    expect(result).toMatchObject({ total: '9866.56', bears: { own: '6578.04', other: '3288.52' } })
  })

  it('counts several persons on a side', () => {
    const { own, other } = risk({ value: '5000', instances: 1, parties: { own: 2 } }).instances[0] ?? {}

    expect(own?.lines[0]?.rate).toBe('1.6')
    expect(other?.lines[0]?.rate).toBe('1.3')
  })

  it.each([
    { instances: 0 },
    { instances: 4 },
    { won_share: '1.01' },
    { won_share: '-0.1' },
    { parties: { own: 0 } },
  ])('has no form such as %j', (change) => {
    const body = { value: '5000', instances: 1, pending_on: '2026-03-16', ordered_on: '2026-03-02' }

    expect(RiskInput.safeParse(body).success).toBe(true)
    expect(RiskInput.safeParse({ ...body, ...change }).success).toBe(false)
  })
})
