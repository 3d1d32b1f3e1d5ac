import { describe, expect, it } from 'vitest'
import { RvgInput } from '#fees/rvg-schema.ts'
import { rvg, trial } from '#test/support/rvg.ts'

describe('fees of a lawyer', () => {
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
    [
      'parts that are more than the value',
      {
        fees: [
          { vv: '3100', value: '5000' },
          { vv: '3101', value: '5000' },
        ],
      },
      'fees.1.vv',
      'the `value` of the matter is their sum',
    ],
    ['1000 with 1003', { fees: [{ vv: '1000' }, { vv: '1003' }] }, 'fees.1.vv', 'exclude each other'],
    [
      'legal aid beside the case that it is for (§ 16 Nr. 2 RVG)',
      { fees: [{ vv: '3335', rate: '1.0' }, { vv: '3200' }] },
      'fees.1.vv',
      'Nr. 3335 and Nr. 3200',
    ],
    [
      'a Gehörsrüge beside its instance (§ 19 Abs. 1 Satz 2 Nr. 5 RVG)',
      { fees: [{ vv: '3100' }, { vv: '3330', rate: '0.5' }] },
      'fees.1.vv',
      'Nr. 3100 and Nr. 3330',
    ],
    [
      'its hearing',
      { fees: [{ vv: '3104' }, { vv: '3331', rate: '0.5' }] },
      'fees.1.vv',
      'Nr. 3104 and Nr. 3331',
    ],
    [
      'a Gehörsrüge about a part of the instance',
      { fees: [{ vv: '3100' }, { vv: '3330', rate: '0.5', value: '3000' }] },
      'fees.1.vv',
      'belong to one matter (§ 19 Abs. 1 Satz 2 Nr. 5 RVG)',
    ],
    [
      'legal aid for more than the case, of which its value is a part',
      {
        fees: [
          { vv: '3335', rate: '1.0' },
          { vv: '3100', value: '3000' },
        ],
      },
      'fees.1.vv',
      'belong to one matter (§ 16 Nr. 2, § 23a Abs. 2 RVG)',
    ],
    [
      'a Gehörsrüge beside the leave to appeal',
      { fees: [{ vv: '3508' }, { vv: '3330', rate: '0.5' }] },
      'fees.1.vv',
      'Nr. 3508 and Nr. 3330',
    ],
    [
      'a Gehörsrüge beside a Beschwerde',
      { fees: [{ vv: '3500' }, { vv: '3330', rate: '0.5' }] },
      'fees.1.vv',
      'Nr. 3500 and Nr. 3330',
    ],
    [
      'a fee with the premature end of its task',
      { fees: [{ vv: '3334' }, { vv: '3337', rate: '0.5' }] },
      'fees.1.vv',
      'Nr. 3334 and Nr. 3337',
    ],
    [
      'the same of single tasks',
      {
        fees: [
          { vv: '3401', rate: '0.65' },
          { vv: '3405', rate: '0.5' },
        ],
      },
      'fees.1.vv',
      'Nr. 3401 and Nr. 3405',
    ],
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
    ['a payout fee without its amount', { fees: [{ vv: '1009' }] }, 'fees.0.value', 'Nr. 1009'],
    [
      'a payout fee with a rate',
      { fees: [{ vv: '1009', value: '5', rate: '1' }] },
      'fees.0.rate',
      'does not take',
    ],
    [
      'a rate that no Verfahrensgebühr has',
      { fees: [{ vv: '3335', rate: '0.9' }] },
      'fees.0.rate',
      'at most 1.0: 0.3, 0.4, 0.5, 0.75, 0.8, 1.0 (Nr. 3335 VV RVG)',
    ],
    [
      'a rate that no Terminsgebühr has',
      { fees: [{ vv: '3402', rate: '1.3' }] },
      'fees.0.rate',
      'Terminsgebühr of the case: 0.3, 0.4, 0.5, 0.8, 1.2, 1.5 (Nr. 3402',
    ],
    [
      'more than half of a Verfahrensgebühr',
      { fees: [{ vv: '3401', rate: '1.3' }] },
      'fees.0.rate',
      'of the case, halved: 0.15, 0.2',
    ],
    [
      'a premature end above 0.5',
      { fees: [{ vv: '3405', rate: '0.65' }] },
      'fees.0.rate',
      'or half of it, at most 0.5: 0.15, 0.2, 0.25, 0.3, 0.375, 0.4, 0.5 (Nr. 3405',
    ],
    ['no rate of legal aid proceedings', { fees: [{ vv: '3335' }] }, 'fees.0.rate', 'required'],
    [
      'client values with another sum',
      { fees: [{ vv: '3100' }], client_values: ['2000', '2000'] },
      'value',
      '4000.00',
    ],
    [
      'clients of one object and of several',
      { fees: [{ vv: '3100' }], client_values: ['2000', '3000'], clients: 2 },
      'client_values',
      'Nr. 1008 Abs. 1',
    ],
    [
      'the same with clients of a fee',
      { fees: [{ vv: '3100', clients: 2 }], client_values: ['2000', '3000'] },
      'client_values',
      'Nr. 1008 Abs. 1',
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
