import { describe, expect, it } from 'vitest'
import { calculateCourt } from '#fees/court.ts'
import { CourtInput, RiskInput } from '#fees/court-schema.ts'
import { calculateRisk } from '#fees/risk.ts'
import { famgkgKv } from '#fees/tables/famgkg.ts'
import { gkgKv } from '#fees/tables/gkg.ts'

const context = { today: '2026-11-26' }
const court = (body: object) =>
  calculateCourt(CourtInput.parse({ law: 'GKG', pending_on: '2026-03-16', ...body }), context)
const risk = (body: object) =>
  calculateRisk(RiskInput.parse({ pending_on: '2026-03-16', ordered_on: '2026-03-02', ...body }), context)

/** The rates in the texts of the Kostenverzeichnisse (2025). */
const statute = {
  GKG: '1100 0.5; 1210 3.0; 1211 1.0; 1220 4.0; 1221 1.0; 1222 2.0; 1223 3.0; 1230 5.0; 1231 1.0; 1232 3.0',
  FamGKG:
    '1110 2.0; 1111 0.5; 1220 3.0; 1221 1.0; 1222 4.0; 1223 1.0; 1224 2.0; 1225 5.0; 1226 1.0; 1227 3.0',
}

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
    ['GKG', '500', '2020-12-31', '1100', '32.00'],
    ['GKG', '5000', '2026-03-16', '1100', '85.25'],
    ['FamGKG', '10000', '2026-03-16', '1110', '566.00'],
    ['FamGKG', '5000', '2026-03-16', '1220', '511.50'],
    ['FamGKG', '5000', '2026-03-16', '1222', '682.00'],
    ['FamGKG', '5000', '2020-12-31', '1220', '438.00'],
    ['FamGKG', '5000', '2013-08-01', '1220', '438.00'],
  ])('by %s of %s EUR, pendent on %s, Nr. %s are %s', (law, value, pending_on, kv, expected) => {
    const { lines, total } = court({ law, value, pending_on, kv: [kv] })

    expect(total).toBe(expected)
    expect(lines[0]).toMatchObject({ kv, number: `Nr. ${kv} KV ${law}`, rule: expect.stringContaining('×') })
  })

  it('of two instances are summed', () => {
    expect(court({ value: '5000', kv: ['1210', '1220'] }).total).toBe('1193.50')
  })

  it.each([
    ['1210', '5000', ['85.25', '511.50', '-85.25'], '511.50'],
    ['1211', '5000', ['85.25', '170.50', '-85.25'], '170.50'],
    ['1211', '500', ['38.00', '40.00', '-38.00'], '40.00'],
  ])('of a Mahnverfahren are credited on Nr. %s of %s EUR', (kv, value, amounts, total) => {
    const { lines, ...result } = court({ value, kv: ['1100', kv] })

    expect(lines.map(({ amount }) => amount)).toEqual(amounts)
    expect(lines[2]?.number).toBe('Anm. Abs. 1 zu Nr. 1210 KV GKG')
    expect(result.total).toBe(total)
    expect(court({ value, kv: ['1100', '1220'] }).lines).toHaveLength(2)
  })

  it('have the rates of the statute', () => {
    const shown = (law: string, kv: string) => court({ law, value: '5000', kv: [kv] }).lines[0]?.rate

    for (const [law, rates] of Object.entries(statute))
      for (const entry of rates.split('; '))
        expect(`${entry.slice(0, 4)} ${shown(law, entry.slice(0, 4))}`).toBe(entry)
    expect([statute.GKG, statute.FamGKG].map((rates) => rates.split('; ').length)).toEqual(
      [gkgKv, famgkgKv].map((known) => Object.keys(known).length),
    )
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

  it('of a lawsuit before a change of the law has the new tables for an appeal that is still to come', () => {
    // § 71 Abs. 1 Satz 2 GKG, § 60 Abs. 1 RVG. First 483.00 and 1.3 + 1.2 of 334; then as above.
    const [first, second] = risk({
      value: '5000',
      instances: 2,
      pending_on: '2025-03-03',
      ordered_on: '2025-02-03',
    }).instances

    expect([first?.court.total, first?.own.net, first?.total]).toEqual(['483.00', '855.00', '2517.90'])
    expect([second?.court.total, second?.own.gross, second?.total]).toEqual(['682.00', '1204.99', '3091.98'])
  })

  const lawsuit = { value: '5000', instances: 3, pending_on: '2024-03-04', ordered_on: '2024-02-05' }

  it('has the tables of the day for an appeal that has begun already', () => {
    // 4.0 of 161; 1.6 + 1.2 of 334, 20 and 19 %. The third instance is still to come.
    const appeals = [{ pending_on: '2025-05-31', ordered_on: '2025-05-30' }]
    const [, second, third] = risk({ ...lawsuit, appeals }).instances

    expect([second?.court.total, second?.own.gross, second?.total]).toEqual(['644.00', '1136.69', '2917.38'])
    expect(third?.total).toBe('4106.20')
  })

  it.each<[appeals: object[], instances: number, place: string]>([
    [[{ pending_on: '2025-05-31', ordered_on: '2025-05-30' }], 1, 'appeals'],
    [[{ pending_on: '2024-03-03', ordered_on: '2025-05-30' }], 2, 'appeals.0.pending_on'],
    [[{ pending_on: '2025-05-31', ordered_on: '2024-02-04' }], 2, 'appeals.0.ordered_on'],
    [
      [
        { pending_on: '2025-05-31', ordered_on: '2025-05-30' },
        { pending_on: '2025-05-30', ordered_on: '2025-05-30' },
      ],
      3,
      'appeals.1.pending_on',
    ],
  ])('is refused for appeals %j of %i instances, at %s', (appeals, instances, place) => {
    expect(() => risk({ ...lawsuit, appeals, instances })).toThrow(
      expect.objectContaining({ details: [{ path: `body.${place}`, message: expect.any(String) }] }),
    )
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

  it('names a share as an example of a share', () => {
    const body = { value: '5000', instances: 1, pending_on: '2026-03-16', ordered_on: '2026-03-02' }

    expect(RiskInput.safeParse({ ...body, won_share: '12.5' }).error?.issues[0]?.message).toBe(
      'A decimal as a string, such as "0.5", with at most 1 digit before the point and 4 after it, not negative.',
    )
  })
})
