import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const bodies = {
  'fees/rvg': { value: '5000', ordered_on: '2026-03-02', fees: [{ vv: '3100' }] },
  'fees/court': { law: 'GKG', value: '5000', pending_on: '2026-03-16', kv: ['1210'] },
  'fees/risk': { value: '5000', instances: 1, pending_on: '2026-03-16', ordered_on: '2026-03-02' },
  interest: { principal: '1000', from: '2025-01-01', to: '2025-12-31', rate: { fixed: '5' } },
} as const
type Path = keyof typeof bodies

const post = (path: Path, change: object) =>
  firm.owner('POST', `/api/v1/${path}`, { body: { ...bodies[path], ...change } })
const amounts = ['0', '0.00', '-5', '5.001', '1.000,00', '5e3', 5000.5, 1e30, `1${'0'.repeat(30)}`, '', null]
const fees = (...each: object[]) => ({ fees: each })
const payments = (...each: [date: string, amount: string][]) => ({
  payments: each.map(([date, amount]) => ({ date, amount })),
})

describe('bad input', () => {
  it.each(amounts)('an amount of %j is refused by each calculation, with its place', async (amount) => {
    for (const path of Object.keys(bodies) as Path[]) {
      const field = path === 'interest' ? 'principal' : 'value'
      const { status, body } = await post(path, { [field]: amount })

      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'VALIDATION_ERROR',
        [{ path: `body.${field}`, message: expect.any(String) }],
      ])
    }
  })

  it.each<[Path, object, string, string]>([
    ['fees/rvg', fees({ vv: '9999' }), 'fees.0.vv', 'Nr. 9999 VV RVG is not known'],
    ['fees/rvg', fees({ vv: '__proto__' }), 'fees.0.vv', 'Four digits'],
    ['fees/rvg', fees({ vv: '3100' }, { vv: '3101' }), 'fees.1.vv', 'exclude each other'],
    ['fees/rvg', fees({ vv: '1000' }, { vv: '1003' }), 'fees.1.vv', 'exclude each other'],
    ['fees/rvg', fees({ vv: '2300', rate: '2.6' }), 'fees.0.rate', 'from 0.5 to 2.5 (§ 14 Abs. 1 RVG)'],
    ['fees/rvg', fees({ vv: '3335', rate: '1.3' }), 'fees.0.rate', 'at most 1.0'],
    ['fees/rvg', fees(...Array(51).fill({ vv: '3100' })), 'fees', 'At most 50'],
    ['fees/rvg', { ordered_on: '2013-07-31' }, 'ordered_on', 'begin on 2013-08-01'],
    ['fees/rvg', { ordered_on: '2026-02-31' }, 'ordered_on', 'calendar'],
    ['fees/rvg', { credited: Array(21).fill({ vv: '2300', rate: '1.3' }) }, 'credited', 'At most 20'],
    ['fees/court', { kv: ['1210', '1211'] }, 'kv.1', 'exclude each other'],
    ['fees/court', { kv: ['9999'] }, 'kv.0', 'not known'],
    ['fees/court', { pending_on: '2013-07-31' }, 'pending_on', 'begin on 2013-08-01'],
    ['fees/risk', { ordered_on: '2013-07-31' }, 'ordered_on', 'begin on 2013-08-01'],
    ['fees/risk', { won_share: '1.01' }, 'won_share', 'From 0 to 1'],
    ['interest', { from: '2026-01-01' }, 'to', 'Not before'],
    ['interest', { from: '1600-01-01' }, 'from', 'From 1900-01-01'],
    ['interest', { from: '2001-12-31', rate: { above_base: '5' } }, 'from', 'begin on 2002-01-01'],
    ['interest', payments(['2024-12-31', '1']), 'payments.0.date', 'From 2025-01-01 to 2025-12-31'],
    ['interest', payments(['2026-01-01', '1']), 'payments.0.date', 'From 2025-01-01 to 2025-12-31'],
    ['interest', payments(['2025-01-02', '1000.15']), 'payments.0.amount', 'At most 1000.14 EUR'],
    [
      'interest',
      payments(['2025-06-01', '900'], ['2025-06-01', '900']),
      'payments.1.amount',
      'At most 120.68 EUR',
    ],
    ['interest', payments(...Array(501).fill(['2025-06-01', '1'])), 'payments', 'At most 500'],
  ])('%s refuses %j at %s', async (path, change, place, message) => {
    const { status, body } = await post(path, change)

    expect([status, body.error.code, body.error.details[0]]).toEqual([
      400,
      'VALIDATION_ERROR',
      { path: `body.${place}`, message: expect.stringContaining(message) },
    ])
  })
})

describe('input at the limits is calculated', () => {
  it('a value above 30 million counts as that, with a warning (§ 22 Abs. 2 RVG, § 39 Abs. 2 GKG)', async () => {
    const value = '999999999999.99'
    const [rvg, court] = [
      (await post('fees/rvg', { value })).body,
      (await post('fees/court', { value })).body,
    ]

    // 1.3 × 107,002 and 3.0 × 128,038
    expect([rvg.net, court.total]).toEqual(['139102.60', '384114.00'])
    expect(rvg.warnings).toEqual([expect.stringContaining('§ 22 Abs. 2 Satz 1 RVG')])
    expect(court.warnings).toEqual([expect.stringContaining('§ 39 Abs. 2 GKG')])
    expect((await post('fees/risk', { value })).status).toBe(200)
  })

  it('a day in the future is provisional', async () => {
    const day = '2098-01-01'
    const answers = await Promise.all([
      post('fees/rvg', { ordered_on: day }),
      post('fees/court', { pending_on: day }),
      post('fees/risk', { pending_on: day }),
      post('interest', { to: day, rate: { above_base: '9' } }),
    ])

    expect(answers.map(({ status, body }) => [status, body.provisional])).toEqual(Array(4).fill([200, true]))
  })

  it('interest of 200 years with 500 payments on one day has a row for each year, and one for the payments', async () => {
    const { status, body } = await post('interest', {
      from: '1900-01-01',
      to: '2099-12-31',
      ...payments(...Array(500).fill(['1950-06-01', '1'])),
    })

    expect([status, body.rows.length, body.payments.length]).toEqual([200, 201, 500])
  })
})
