import { describe, expect, it } from 'vitest'
import { rvg as calculated } from '#test/support/rvg.ts'

const rvg = (body: object) => calculated({ value: '5000', fees: [{ vv: '3100' }], ...body })
const credited = (body: object) =>
  rvg(body)
    .lines.filter(({ number }) => number.includes('§ 15a'))
    .map(({ amount }) => amount)
const before = (value: string, rate = '1.3', vv = '2300') => ({ vv, rate, value })

describe('credits', () => {
  it.each<[title: string, source: string, body: object, amounts: string[], net: string]>([
    [
      'at most at 0.75',
      'Vorbem. 3 Abs. 4: half of 2,0 is 1,0, so 0,75 × 354,50 = 265,875',
      { credited: [{ vv: '2300', rate: '2.0' }] },
      ['-265.88'],
      '194.97',
    ],
    [
      'also of a fee that two clients raised at most at 0.75',
      'Vorbem. 3 Abs. 4, Nr. 1008: half of 1,6 is 0,8, so 0,75; 1,6 × 354,50 = 567,20',
      { clients: 2, credited: [{ vv: '2300', rate: '1.6' }] },
      ['-265.88'],
      '301.32',
    ],
    [
      'by the lower value, if less was in dispute before',
      'Vorbem. 3 Abs. 4 Satz 4: 0,65 × 176 of 2.000',
      { credited: [before('2000')] },
      ['-114.40'],
      '346.45',
    ],
    [
      'by the lower value, if less is in dispute now',
      'Vorbem. 3 Abs. 4 Satz 4: 0,65 × 354,50 of 5.000, not 0,65 × 533 of 8.000',
      { credited: [before('8000')] },
      ['-230.43'],
      '230.42',
    ],
    [
      'by the value of the fee, if that is a part of the matter',
      'Vorbem. 3 Abs. 4 Satz 4: 1,3 × 235,50 = 306,15; 0,65 × 235,50 of 3.000',
      { fees: [{ vv: '3100', value: '3000' }], credited: [{ vv: '2300', rate: '1.3' }] },
      ['-153.08'],
      '153.07',
    ],
    [
      'never above the fee',
      'V9: 0,5 × 51,50 = 25,75 is the fee; 0,65 × 51,50 = 33,48',
      { value: '500', fees: [{ vv: '3307' }], credited: [{ vv: '2300', rate: '1.3' }] },
      ['-25.75'],
      '0.00',
    ],
    [
      'a Mahnbescheid whole',
      'Anm. zu Nr. 3305: 1,0 × 354,50',
      { credited: [{ vv: '3305', rate: '1.0' }] },
      ['-354.50'],
      '106.35',
    ],
    [
      'only the last of several fees for the same object',
      'Vorbem. 3 Abs. 4 Satz 3: of 2300 and 2303 the latter, 0,75 × 354,50',
      {
        credited: [
          { vv: '2300', rate: '1.3' },
          { vv: '2303', rate: '1.5' },
        ],
      },
      ['-265.88'],
      '194.97',
    ],
    [
      'fees for parts, together at most the credit on the sum of the parts',
      '§ 15a Abs. 2: 2 × 0,65 × 354,50 = 460,86, at most 0,65 × 652 = 423,80',
      { value: '10000', credited: [before('5000'), before('5000')] },
      ['-230.43', '-193.37'],
      '423.80',
    ],
    [
      'that sum by the highest of the rates',
      '§ 15a Abs. 2: 230,43 + 265,88, at most 0,75 × 652 = 489',
      { value: '10000', credited: [before('5000'), before('5000', '1.8')] },
      ['-230.43', '-258.57'],
      '358.60',
    ],
    [
      'fees for parts without that limit before 2021',
      'BGH (until 2020 each in full): 2 × 0,65 × 303 = 393,90; 1,3 × 558 = 725,40',
      { value: '10000', ordered_on: '2020-12-31', credited: [before('5000'), before('5000')] },
      ['-196.95', '-196.95'],
      '331.50',
    ],
    [
      'a part twice and another part once, the last of each',
      'Vorbem. 3 Abs. 4 Satz 3: 6.000 counts once, 0,65 × 414 = 269,10; 4.000: 0,65 × 295 = 191,75; at most 423,80',
      { value: '10000', credited: [before('6000', '1.5'), before('6000'), before('4000')] },
      ['-269.10', '-154.70'],
      '423.80',
    ],
    [
      'two whole fees for parts, limited since June 2025',
      '§ 15a Abs. 2 (2025: whole fees too): 2 × 354,50, at most 1,0 × 652',
      { value: '10000', credited: [before('5000', '1.0', '3305'), before('5000', '1.0', '3305')] },
      ['-354.50', '-297.50'],
      '195.60',
    ],
    [
      'two whole fees for parts, not limited before',
      '§ 15a Abs. 2 (2021: parts of fees only): 2 × 334; 1,3 × 614 = 798,20',
      {
        value: '10000',
        ordered_on: '2025-05-31',
        credited: [before('5000', '1.0', '3305'), before('5000', '1.0', '3305')],
      },
      ['-334.00', '-334.00'],
      '130.20',
    ],
    [
      'a fee of an order before the change of the law by the table of its time',
      'Vorbem. 3 Abs. 4 ("diese Gebühr"), § 60: 0,65 × 334 = 217,10',
      { credited: [{ vv: '2300', rate: '1.3', ordered_on: '2025-05-31' }] },
      ['-217.10'],
      '243.75',
    ],
    [
      'a Geschäftsgebühr on that of a Güteverfahren',
      'Vorbem. 2.3 Abs. 6: 1,5 × 354,50 = 531,75; 0,65 × 354,50',
      { fees: [{ vv: '2303' }], credited: [{ vv: '2300', rate: '1.3' }] },
      ['-230.43'],
      '301.32',
    ],
    [
      'the examination of an appeal on the appeal',
      'Anm. zu Nr. 2100: 0,75 × 354,50 = 265,88; 1,6 × 354,50 = 567,20',
      { fees: [{ vv: '3200' }], credited: [{ vv: '2100', rate: '0.75' }] },
      ['-265.88'],
      '301.32',
    ],
    [
      'the complaint against the refusal of an appeal on the appeal',
      'Anm. zu Nr. 3504: 1,6 × 354,50',
      { fees: [{ vv: '3200' }], credited: [{ vv: '3504', rate: '1.6' }] },
      ['-567.20'],
      '0.00',
    ],
    [
      'on the parts of a Verfahrensgebühr together, before they are limited',
      'Vorbem. 3 Abs. 4, OLG München 11 WF 360/12: 1,3 × 1.185 + 0,8 × 1.013 − 0,65 × 1.456,50 is below 1,3 × 1.556 = 2.022,80',
      {
        value: '67650',
        fees: [
          { vv: '3100', value: '39030' },
          { vv: '3101', value: '28620' },
        ],
        credited: [before('58620')],
      },
      ['-946.73'],
      '1404.17',
    ],
    [
      'on parts in any order, of which only the rest is limited',
      '§ 15 Abs. 3, OLG Stuttgart 8 W 527/08: 810,40 + 1.540,50 − 0,65 × 51,50 = 2.317,42, at most 2.022,80',
      {
        value: '67650',
        fees: [
          { vv: '3101', value: '28620' },
          { vv: '3100', value: '39030' },
        ],
        credited: [before('500')],
      },
      ['-33.48'],
      '2022.80',
    ],
    [
      'on the largest of several Verfahrensgebühren',
      'Vorbem. 3 Abs. 4: 0,3 × 354,50 = 106,35 and 1,3 × 354,50; 0,65 × 354,50',
      { fees: [{ vv: '3309' }, { vv: '3100' }], credited: [{ vv: '2300', rate: '1.3' }] },
      ['-230.43'],
      '336.77',
    ],
    [
      'of both parts, each by its own value',
      '§ 15a Abs. 2: 0,65 × 652 = 423,80 and 0,65 × 354,50, at most 0,65 × 762 = 495,30; 847,60 + 283,60 − 495,30',
      {
        value: '15000',
        fees: [
          { vv: '3100', value: '10000' },
          { vv: '3101', value: '5000' },
        ],
        credited: [before('10000'), before('5000')],
      },
      ['-423.80', '-71.50'],
      '635.90',
    ],
    [
      'half of the least fee',
      '§ 13 Abs. 3, Vorbem. 3 Abs. 4: 0,3 × 49 = 14,70, so 15 and half of it; 1,3 × 49 = 63,70',
      { value: '500', ordered_on: '2025-05-31', credited: [{ vv: '2301', rate: '0.3' }] },
      ['-7.50'],
      '56.20',
    ],
    [
      'a Mahnbescheid that three clients raised',
      'Anm. zu Nr. 3305, Nr. 1008: 1,6 × 354,50 = 567,20; 1,9 × 354,50 = 673,55',
      { clients: 3, credited: [{ vv: '3305', rate: '1.6' }] },
      ['-567.20'],
      '106.35',
    ],
  ])('%s (%s)', (_title, _source, body, amounts, net) => {
    expect(credited(body)).toEqual(amounts)
    expect(rvg(body).net).toBe(net)
  })

  it('warn about one that does not count, and explain a lowered one in its rule', () => {
    const last = rvg({
      credited: [
        { vv: '2300', rate: '1.3' },
        { vv: '2303', rate: '1.5' },
      ],
    })
    const parts = rvg({ value: '10000', credited: [before('5000'), before('5000')] })
    const whole = rvg({ value: '500', fees: [{ vv: '3307' }], credited: [{ vv: '2300', rate: '2.0' }] })

    expect(last.warnings).toEqual([expect.stringContaining('Nr. 2300 VV RVG ist nicht angerechnet')])
    expect(parts.lines[2]?.rule).toContain('gekürzt auf 193,37 € (§ 15a Abs. 2 RVG)')
    expect(parts.warnings).toEqual([])
    expect(whole.lines[1]).toMatchObject({
      number: 'Vorbem. 3 Abs. 4 VV RVG, § 15a RVG',
      rule: 'Zur Hälfte, höchstens mit 0,75 (begrenzt), gekürzt auf 25,75 € (die Gebühr Nr. 3307 VV RVG) auf die Gebühr Nr. 3307 VV RVG, nach dem niedrigeren Wert: 0,75 × 51,50 € (Wert 500,00 €, § 13 Abs. 1 RVG).',
    })
  })

  it('name a least amount only if they have it', () => {
    const rule = (ordered_on: string, vv: string, rate: string) =>
      rvg({ value: '500', ordered_on, credited: [{ vv, rate }] }).lines[1]?.rule

    expect(rule('2025-05-31', '2301', '0.3')).toMatch(/: 0,15 × 49,00 € .+, mindestens 7,50 €\.$/)
    // 0,25 × 51,50 = 12,88
    expect(rule('2026-03-02', '2300', '0.5')).not.toContain('mindestens')
  })

  it('on parts name all of them, and the limit follows and says so', () => {
    const { lines } = rvg({
      value: '67650',
      fees: [
        { vv: '3100', value: '39030' },
        { vv: '3101', value: '28620' },
      ],
      credited: [before('500')],
      expenses: [{ vv: '7002' }],
    })

    expect(lines.map(({ amount }) => amount)).toEqual(['1540.50', '810.40', '-33.48', '-294.62', '20.00'])
    expect(lines[2]?.rule).toContain('auf die Gebühr Nr. 3100 und 3101 VV RVG')
    expect(lines[3]).toMatchObject({
      number: '§ 15 Abs. 3 RVG',
      rule: 'Nach der Anrechnung zusammen höchstens 2.022,80 €: 1,3 × 1.556,00 € (Wert 67.650,00 €, § 13 Abs. 1 RVG).',
    })
    // Nr. 7002: 20 % of the fees without a credit
    expect(lines[4]?.rule).toContain('(2.022,80 €)')
  })

  it('are found on any part of a fee', () => {
    const fees = [
      { vv: '3335', rate: '1.0', value: '2000' },
      { vv: '3100', value: '3000' },
    ]

    // Anm. zu Nr. 3305: 1,0 × 235,50
    expect(credited({ fees, credited: [before('3000', '1.0', '3305')] })).toEqual(['-235.50'])
  })

  it('on parts have a warning, if they do not name their value', () => {
    const parts = {
      value: '15000',
      fees: [
        { vv: '3100', value: '10000' },
        { vv: '3101', value: '5000' },
      ],
    }
    const { lines, warnings } = rvg({ ...parts, credited: [{ vv: '2300', rate: '1.3' }] })

    expect(lines[2]?.amount).toBe('-495.30') // 0.65 × 762
    expect(warnings).toEqual([expect.stringContaining('nach dem Wert von 15.000,00 € angerechnet')])
    expect(rvg({ ...parts, credited: [before('10000')] }).warnings).toEqual([])
    expect(rvg({ credited: [{ vv: '2300', rate: '1.3' }] }).warnings).toEqual([])
  })

  it('with legal aid have a warning', () => {
    const { warnings, lines } = rvg({ legal_aid: true, credited: [{ vv: '2300', rate: '1.3' }] })

    expect(warnings[0]).toContain('§ 58 Abs. 2 RVG')
    expect(lines[1]).toMatchObject({ amount: '-207.35' }) // 0.65 × 319
  })

  it.each<[string, object, string, string]>([
    [
      'a Terminsgebühr',
      { credited: [{ vv: '3104', rate: '1.2' }] },
      '0.vv',
      'Anm. to Nr. 3100, 3101 and 3104',
    ],
    ['a selbständiges Beweisverfahren', { credited: [{ vv: '3100', rate: '1.3' }] }, '0.vv', 'Abs. 5 to 7'],
    ['an Einigungsgebühr', { credited: [{ vv: '1003', rate: '1.0' }] }, '0.vv', 'not credited here.'],
    ['an unknown number', { credited: [{ vv: '9999', rate: '1.2' }] }, '0.vv', 'not known'],
    [
      'nothing to credit on',
      { fees: [{ vv: '2300' }], credited: [{ vv: '2300', rate: '1.3' }] },
      '0',
      'Teil 3',
    ],
    ['an examination on the first instance', { credited: [{ vv: '2100', rate: '1.0' }] }, '0', '3200'],
    [
      'a Mahnbescheid on enforcement',
      { fees: [{ vv: '3309' }], credited: [{ vv: '3305', rate: '1.0' }] },
      '0',
      '3100, 3101',
    ],
    ['a rate that cannot arise', { credited: [{ vv: '2300', rate: '4.6' }] }, '0.rate', '2.5'],
    ['a rate that no clients raise', { credited: [{ vv: '3305', rate: '1.1' }] }, '0.rate', '1.0'],
    ['a raised fee that is not raised', { credited: [{ vv: '2101', rate: '1.6' }] }, '0.rate', '1.3'],
    [
      'a fee that was credited on the next one',
      {
        credited: [
          { vv: '2300', rate: '1.3' },
          { vv: '3305', rate: '1.0' },
        ],
      },
      '0.vv',
      'name Nr. 3305 alone',
    ],
    [
      'a fee that was credited on a lower one, and whose rest is credited here',
      {
        credited: [
          { vv: '2300', rate: '1.3' },
          { vv: '3307', rate: '0.5' },
        ],
      },
      '0.vv',
      'name Nr. 2300 alone',
    ],
    [
      'more parts than there is value',
      { value: '10000', credited: [before('5000'), before('5000'), before('5000')] },
      '0.value',
      '10000.00 EUR',
    ],
  ])('are refused for %s', (_name, body, path, message) => {
    expect(() => rvg(body)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [{ path: `body.credited.${path}`, message: expect.stringContaining(message) }],
      }),
    )
  })
})
