import { describe, expect, it } from 'vitest'
import { calculateCourt } from '#fees/court.ts'
import { fullFee, type StepTable, versionOn } from '#fees/step-table.ts'
import { baseRates, baseRateTable } from '#fees/tables/base-rates.ts'
import { famgkgTables } from '#fees/tables/famgkg.ts'
import { gkgTables } from '#fees/tables/gkg.ts'
import { legalAidTables, rvgTables } from '#fees/tables/rvg.ts'
import { decimal, money } from '#kernel/decimal.ts'
import fc from '#test/support/properties.ts'

/**
 * The formula in the text of the law, in cents. The first number is the fee up to 500 EUR. The others are the amounts
 * for each started step up to 2,000, 10,000, 25,000, 50,000, 200,000 and 500,000 EUR, and above. § 13 Abs. 1 RVG, § 34
 * Abs. 1 GKG.
 */
const formulas: Record<string, readonly number[]> = {
  'RVG 2025-06-01': [51_50, 41_50, 59_50, 55_00, 86_00, 99_50, 140_00, 175_00],
  'RVG 2021-01-01': [49_00, 39_00, 56_00, 52_00, 81_00, 94_00, 132_00, 165_00],
  'RVG 2013-08-01': [45_00, 35_00, 51_00, 46_00, 75_00, 85_00, 120_00, 150_00],
  'GKG 2025-06-01': [40_00, 21_00, 22_50, 30_50, 40_50, 140_00, 210_00, 210_00],
  'GKG 2021-01-01': [38_00, 20_00, 21_00, 29_00, 38_00, 132_00, 198_00, 198_00],
  'GKG 2013-08-01': [35_00, 18_00, 19_00, 26_00, 35_00, 120_00, 179_00, 180_00],
  'FamGKG 2025-06-01': [40_00, 21_00, 22_50, 30_50, 40_50, 140_00, 210_00, 210_00],
  'FamGKG 2021-01-01': [38_00, 20_00, 21_00, 29_00, 38_00, 132_00, 198_00, 198_00],
  'FamGKG 2013-08-01': [35_00, 18_00, 19_00, 26_00, 35_00, 120_00, 179_00, 180_00],
}
const bands = [
  [500, 2_000, 500],
  [2_000, 10_000, 1_000],
  [10_000, 25_000, 3_000],
  [25_000, 50_000, 5_000],
  [50_000, 200_000, 15_000],
  [200_000, 500_000, 30_000],
  [500_000, Number.POSITIVE_INFINITY, 50_000],
] as const

/** The fee by the formula, from a value in cents to cents. */
function byFormula(formula: readonly number[], valueCents: number): number {
  return bands.reduce((fee, [from, to, step], at) => {
    const within = Math.min(valueCents, to * 100) - from * 100
    return within <= 0 ? fee : fee + Math.ceil(within / (step * 100)) * (formula[at + 1] as number)
  }, formula[0] as number)
}

const allTables = [...rvgTables, ...gkgTables, ...famgkgTables]
const named = (table: StepTable) => [`${table.law} ${table.valid_from}`, table] as const
const fee = (table: StepTable, cents: number) => money(fullFee(table, decimal(cents).div(100)))
const euros = (cents: number) => money(decimal(cents).div(100))

describe.each(allTables.map(named))('%s', (name, table) => {
  const formula = formulas[name] as readonly number[]

  it('has each step of the law’s formula, one cent below, at and above it', () => {
    const limits = [...table.steps.map(([limit]) => limit), 550_000, 1_000_000, 30_000_000]
    for (const limit of limits)
      for (const cents of [limit * 100 - 1, limit * 100, limit * 100 + 1])
        expect([cents, fee(table, cents)]).toEqual([cents, euros(byFormula(formula, cents))])
  })

  it('has the fee of the formula for any value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000_000_000 }), (cents) => {
        expect(fee(table, cents)).toBe(euros(byFormula(formula, cents)))
      }),
      { numRuns: 500 },
    )
  })
})

it('all tables are tested, and say where they are from', () => {
  expect(allTables.map((table) => named(table)[0])).toEqual(Object.keys(formulas))
  for (const { source, checked_until, steps } of [...allTables, ...legalAidTables]) {
    expect(source).toContain('§')
    expect(checked_until).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(steps.map(([limit]) => limit)).toEqual(steps.map(([limit]) => limit).toSorted((a, b) => a - b))
  }
})

it.each([
  ['RVG', '500', '51.50'],
  ['RVG', '500.01', '93.00'],
  ['RVG', '5000', '354.50'],
  ['RVG', '10000', '652.00'],
  ['RVG', '10000.01', '707.00'],
  ['RVG', '80000.01', '1655.50'],
  ['RVG', '500000', '3752.00'],
  ['RVG', '500000.01', '3927.00'],
  ['RVG', '30000000', '107002.00'],
  ['GKG', '500', '40.00'],
  ['GKG', '500.01', '61.00'],
  ['GKG', '5000', '170.50'],
  ['GKG', '10000', '283.00'],
  ['GKG', '10000.01', '313.50'],
  ['GKG', '80000.01', '1058.00'],
  ['GKG', '500000', '4138.00'],
  ['GKG', '500000.01', '4348.00'],
  ['GKG', '30000000', '128038.00'],
])('%s 2025: a value of %s has a fee of %s', (law, value, expected) => {
  const table = (law === 'RVG' ? rvgTables : gkgTables)[0] as StepTable

  expect(money(fullFee(table, decimal(value)))).toBe(expected)
})

it('a step of 140,000 EUR costs 1,393 EUR by the GKG of 2021, where a widely used table has 1,396', () => {
  const table = versionOn(gkgTables, '2023-01-01', 'body')

  expect(money(fullFee(table, decimal(140_000)))).toBe('1393.00')
})

it.each([
  ['2025-05-31', '161.00'],
  ['2025-06-01', '170.50'],
  ['2020-12-31', '146.00'],
  ['2021-01-01', '161.00'],
  ['2013-08-01', '146.00'],
])('a case that is pendent on %s has the fee %s', (pending_on, expected) => {
  const { lines } = calculateCourt(
    { law: 'GKG', value: '5000', pending_on, kv: ['1211'] },
    { today: '2026-11-26' },
  )

  expect(lines[0]?.amount).toBe(expected)
})

describe('legal aid', () => {
  it.each([
    ['2025-06-01', 5_000_00, '319.00'],
    ['2025-06-01', 5_000_01, '330.00'],
    ['2025-06-01', 65_000_00, '692.00'],
    ['2025-06-01', 80_000_00, '739.00'],
    ['2025-06-01', 80_000_01, '786.00'],
    ['2021-01-01', 5_000_00, '284.00'],
    ['2021-01-01', 50_000_00, '609.00'],
    ['2021-01-01', 50_000_01, '659.00'],
    ['2013-08-01', 4_000_01, '257.00'],
    ['2013-08-01', 10_000_00, '307.00'],
    ['2013-08-01', 25_000_00, '377.00'],
    ['2020-12-31', 30_000_00, '412.00'],
    ['2020-12-31', 30_000_01, '447.00'],
  ])('from %s on a value of %d cents has a fee of %s', (day, cents, expected) => {
    expect(fee(versionOn(legalAidTables, day, 'body'), cents)).toBe(expected)
  })

  it.each([
    ['2025-06-01', ['11.00', '15.00', '39.00']],
    ['2021-01-01', ['11.00', '15.00', '39.00']],
    ['2013-08-01', ['10.00', '14.00', '35.00']],
  ])('from %s on rises by %j EUR a step up to 10,000, 25,000 and 50,000 EUR', (day, rises) => {
    const { steps } = versionOn(legalAidTables, day, 'body')
    for (const [at, [limit, amount]] of steps.slice(1).entries()) {
      if (limit > 50_000) continue
      const rise = money(decimal(amount).minus(steps[at]?.[1] ?? 0))
      expect([limit, rise]).toEqual([limit, rises[limit <= 10_000 ? 0 : limit <= 25_000 ? 1 : 2]])
    }
  })
})

it('there is no table before the first version, and the refusal names its day', () => {
  expect(() => versionOn(rvgTables, '2013-07-31', 'body.ordered_on')).toThrow(
    expect.objectContaining({
      details: [{ path: 'body.ordered_on', message: 'The tables begin on 2013-08-01.' }],
    }),
  )
})

describe('the base rates', () => {
  it('are known for each half-year from 2002 to the last one', () => {
    const days = baseRates.map(([day]) => day)

    expect(days[0]).toBe('2002-01-01')
    expect(days).toHaveLength(50)
    for (const [at, day] of days.entries())
      expect(day).toBe(`${2002 + Math.floor(at / 2)}-${at % 2 === 0 ? '01' : '07'}-01`)
    expect(baseRateTable.known_before).toBe('2027-01-01')
  })

  it.each([
    ['2002-01-01', '2.57'],
    ['2009-07-01', '0.12'],
    ['2013-01-01', '-0.13'],
    ['2016-07-01', '-0.88'],
    ['2023-01-01', '1.62'],
    ['2025-07-01', '1.27'],
    ['2026-07-01', '1.52'],
  ])('is from %s on %s percent', (day, rate) => {
    expect(baseRates).toContainEqual([day, rate])
  })
})
