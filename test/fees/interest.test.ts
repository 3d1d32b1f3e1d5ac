import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { calculateInterest } from '#fees/interest.ts'
import { InterestInput } from '#fees/interest-schema.ts'
import { baseRates } from '#fees/tables/base-rates.ts'
import fc from '#test/support/properties.ts'

const interest = (body: object) => calculateInterest(InterestInput.parse(body))

describe('interest', () => {
  it.each([
    ['1000.00', '5', '2023-03-01', '2023-03-31', '4.25'],
    ['10000.00', '4', '2023-12-02', '2024-01-31', '66.76'],
  ])('of %s EUR at %s percent from %s to %s is %s', (principal, fixed, from, to, expected) => {
    expect(interest({ principal, from, to, rate: { fixed } }).interest).toBe(expected)
  })

  it('of a claim with two payments is reckoned by hand', () => {
    const {
      rows,
      open,
      payments,
      interest: sum,
    } = interest({
      principal: '10000',
      from: '2023-11-15',
      to: '2026-11-14',
      rate: { above_base: '5' },
      payments: [
        { date: '2026-01-15', amount: '4000' },
        { date: '2024-08-01', amount: '1000' },
      ],
      costs: '120.50',
    })

    expect(
      rows.map(({ from, days, rate, principal, amount }) => [from, days, rate, principal, amount]),
    ).toEqual([
      ['2023-11-15', 47, '8.12', '10000.00', '104.56'], // 10000 × 8.12 % × 47 / 365 = 104.5589
      ['2024-01-01', 182, '8.62', '10000.00', '428.64'], // × 182 / 366 = 428.6448
      ['2024-07-01', 31, '8.37', '10000.00', '70.89'], // × 31 / 366 = 70.8934
      ['2024-08-01', 153, '8.37', '9724.59', '340.26'],
      ['2025-01-01', 181, '7.27', '9724.59', '350.58'],
      ['2025-07-01', 184, '6.27', '9724.59', '307.37'],
      ['2026-01-01', 14, '6.27', '9724.59', '23.39'],
      ['2026-01-15', 167, '6.27', '6746.19', '193.53'],
      ['2026-07-01', 137, '6.52', '6746.19', '165.09'],
    ])
    expect(payments).toEqual([
      { date: '2024-08-01', amount: '1000.00', costs: '120.50', interest: '604.09', principal: '275.41' },
      { date: '2026-01-15', amount: '4000.00', costs: '0.00', interest: '1021.60', principal: '2978.40' },
    ])
    expect(sum).toBe('1984.31')
    expect(open).toEqual({ costs: '0.00', interest: '358.62', principal: '6746.19', total: '7104.81' })
  })

  it('of a consumer credit is paid last (§ 497 Abs. 3 BGB)', () => {
    const { payments, open } = interest({
      principal: '1000',
      from: '2025-01-01',
      to: '2025-12-31',
      rate: { fixed: '10' },
      payments: [{ date: '2025-07-02', amount: '1000' }],
      costs: '10',
      payment_order: '497',
    })

    expect(payments[0]).toMatchObject({ costs: '10.00', principal: '990.00', interest: '0.00' })
    expect(open.interest).toBe('50.36') // 1000 × 10 % × 182 / 365 = 49.86, and 10 × 10 % × 183 / 365 = 0.50
  })

  it('does not count the day of a payment, nor anything after the last EUR is paid', () => {
    const { rows, open } = interest({
      principal: '36500',
      from: '2025-01-01',
      to: '2025-12-31',
      rate: { fixed: '1' },
      payments: [{ date: '2025-01-11', amount: '36510' }],
    })

    expect(rows.map(({ to, days, amount }) => [to, days, amount])).toEqual([['2025-01-10', 10, '10.00']])
    expect(open.total).toBe('0.00')
  })

  it('is never negative, where the base rate is', () => {
    const { rows } = interest({
      principal: '1000',
      from: '2020-01-01',
      to: '2020-06-30',
      rate: { above_base: '0.5' },
    })

    expect(rows.map(({ base_rate, rate, amount }) => [base_rate, rate, amount])).toEqual([
      ['-0.88', '0', '0.00'],
    ])
  })

  it('beyond the last announced base rate is provisional, and says so in its row', () => {
    const { rows, provisional } = interest({
      principal: '1000',
      from: '2026-12-01',
      to: '2027-08-01',
      rate: { above_base: '9' },
    })

    expect(rows.map((row) => [row.from, row.base_rate, row.provisional])).toEqual([
      ['2026-12-01', '1.52', false],
      ['2027-01-01', '1.52', true],
      ['2027-07-01', '1.52', true],
    ])
    expect(provisional).toBe(true)
    expect(rows[0]?.rule).toContain('§ 288 Abs. 2')
  })

  it('names the paragraph of the points, which were 8 between businesses until 2014', () => {
    const lawOf = (above_base: string, day: string) =>
      interest({ principal: '1000', from: day, to: day, rate: { above_base } }).rows[0]?.rule.split(':')[0]

    expect(lawOf('5', '2010-01-01')).toBe('§ 288 Abs. 1, § 247 BGB')
    expect(lawOf('9', '2014-07-29')).toBe('§ 288 Abs. 2, § 247 BGB')
    expect(lawOf('9.0', '2014-07-28')).toBe('§ 247 BGB')
    expect(lawOf('8', '2014-07-28')).toBe('§ 288 Abs. 2 a. F., § 247 BGB (Art. 229 § 34 EGBGB)')
    expect(lawOf('4', '2020-01-01')).toBe('§ 247 BGB')
  })

  it('takes a payment of all that is owed on the day, and not a cent more', () => {
    const body = {
      principal: '1000',
      from: '2025-01-01',
      to: '2025-12-31',
      rate: { fixed: '10' },
      costs: '5',
    }
    const paying = (amount: string) => interest({ ...body, payments: [{ date: '2025-07-01', amount }] })

    expect(paying('1054.59').open.total).toBe('0.00')
    expect(() => paying('1054.60')).toThrow(
      expect.objectContaining({
        details: [{ path: 'body.payments.0.amount', message: expect.stringContaining('1054.59 EUR') }],
      }),
    )
  })

  it.each([
    [{ to: '2024-12-31' }, 'body.to'],
    [{ payments: [{ date: '2024-12-31', amount: '1' }] }, 'body.payments.0.date'],
    [{ payments: [{ date: '2026-01-01', amount: '1' }] }, 'body.payments.0.date'],
    [{ from: '2001-12-31', rate: { above_base: '5' } }, 'body.from'],
  ])('is refused for %j', (change, path) => {
    const body = { principal: '1000', from: '2025-01-01', to: '2025-12-31', rate: { fixed: '5' } }

    expect(() => interest({ ...body, ...change })).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ path })] }),
    )
  })

  it.each([
    { rate: {} },
    { rate: { fixed: '5', above_base: '5' } },
    { rate: { fixed: '-5' } },
    { rate: { fixed: '100.01' } },
    { principal: '0' },
    { principal: 1000 },
    { principal: '1.000,00' },
    { principal: '1000.001' },
    { costs: '-1' },
    { from: '2025-02-29' },
    { to: '2100-01-01' },
    { payments: [{ date: '2025-03-01', amount: '0' }] },
    { payment_order: '366' },
  ])('has no form such as %j', (change) => {
    const body = { principal: '1000', from: '2025-01-01', to: '2025-12-31', rate: { fixed: '5' } }

    expect(InterestInput.safeParse(body).success).toBe(true)
    expect(InterestInput.safeParse({ ...body, ...change }).success).toBe(false)
  })
})

describe('an independent calculation with fractions of whole numbers', () => {
  it('has the same result in a thousand random cases', () => {
    fc.assert(
      fc.property(cases, (body) => {
        const expected = exact(body)
        expect(outcome(() => interest(body))).toEqual(expected)
      }),
      { numRuns: 1_000 },
    )
  })
})

type Case = {
  principal: string
  costs: string
  from: string
  to: string
  rate: { above_base: string } | { fixed: string }
  payments: { date: string; amount: string }[]
  payment_order: '367' | '497'
}

const msPerDay = 86_400_000
const dayOf = (date: string) => Date.parse(date) / msPerDay
const dateOf = (day: number) => new Date(day * msPerDay).toISOString().slice(0, 10)
const cents = (max: number) =>
  fc
    .integer({ min: 1, max })
    .map((amount) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`)
const points = fc.integer({ min: 0, max: 2_000 }).map((rate) => String(rate / 100))

const cases = fc
  .record({
    start: fc.integer({ min: dayOf('2002-01-01'), max: dayOf('2027-12-31') }),
    length: fc.integer({ min: 0, max: 1_200 }),
    principal: cents(100_000_000),
    costs: cents(100_000),
    rate: fc.oneof(
      points.map((above_base) => ({ above_base })),
      points.map((fixed) => ({ fixed })),
    ),
    paid: fc.array(fc.record({ after: fc.nat(1_200), amount: cents(30_000_000) }), { maxLength: 4 }),
    payment_order: fc.constantFrom('367' as const, '497' as const),
  })
  .map(
    ({ start, length, paid, ...rest }): Case => ({
      ...rest,
      from: dateOf(start),
      to: dateOf(start + length),
      payments: paid.map(({ after, amount }) => ({ date: dateOf(start + (after % (length + 1))), amount })),
    }),
  )

/** The sums of a calculation, or that it is refused. */
function outcome(calculate: () => ReturnType<typeof interest>) {
  try {
    const { interest: sum, open } = calculate()
    return { sum, open }
  } catch (error) {
    return { refused: (error as { details?: { path: string }[] }).details?.[0]?.path }
  }
}

/**
 * The same day by day and in whole numbers. The interest of a day is a numerator over 365 × 366 × 10^6 cents. A row
 * ends, and is rounded, when the rate, the year or the principal changes.
 */
function exact({ principal, costs, from, to, rate, payments, payment_order }: Case) {
  const inCents = (text: string) => BigInt(Math.round(Number(text) * 100))
  let owed = inCents(principal)
  let costsOwed = inCents(costs)
  let interestOwed = 0n
  let sum = 0n
  let row = 0n
  let rowKey = ''
  const close = () => {
    const rounded = (2n * row + scale) / (2n * scale)
    interestOwed += rounded
    sum += rounded
    row = 0n
  }
  const byDay = payments
    .map((payment, at) => ({ ...payment, at }))
    .toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  for (let day = dayOf(from); day <= dayOf(to); day += 1) {
    const date = dateOf(day)
    const year = Number(date.slice(0, 4))
    const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
    const paidToday = byDay.filter((payment) => payment.date === date)
    const half = 'above_base' in rate ? (date.slice(5) < '07-01' ? 1 : 2) : 0
    const key = `${year} ${half}`
    if (key !== rowKey || paidToday.length > 0) close()
    rowKey = key
    for (const { amount, at } of paidToday) {
      let left = inCents(amount)
      if (left > costsOwed + interestOwed + owed) return { refused: `body.payments.${at}.amount` }
      const take = (debt: bigint) => (left < debt ? left : debt)
      const costsPaid = take(costsOwed)
      costsOwed -= costsPaid
      left -= costsPaid
      for (const part of payment_order === '367' ? ['interest', 'principal'] : ['principal', 'interest']) {
        const taken = take(part === 'interest' ? interestOwed : owed)
        if (part === 'interest') interestOwed -= taken
        else owed -= taken
        left -= taken
      }
    }
    row += owed * percentOf(rate, date) * (isLeap ? 365n : 366n)
  }
  close()
  const text = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`
  const open = { costs: text(costsOwed), interest: text(interestOwed), principal: text(owed) }
  return { sum: text(sum), open: { ...open, total: text(costsOwed + interestOwed + owed) } }
}

/** Days of both kinds of years × percent × hundredths of a percent. */
const scale = 365n * 366n * 100n * 100n

/** Hundredths of a percent. */
function percentOf(rate: Case['rate'], date: string): bigint {
  if ('fixed' in rate) return BigInt(Math.round(Number(rate.fixed) * 100))
  const base = baseRates.filter(([from]) => from <= date).at(-1)?.[1] ?? ''
  const total = Math.round(Number(base) * 100) + Math.round(Number(rate.above_base) * 100)
  return BigInt(Math.max(0, total))
}

const hledgerInterest = 'hledger-interest'
const isInstalled = spawnSync(hledgerInterest, ['--version']).error === undefined

/** Debian's program has a table of § 288 BGB of its own, which ends with the rate of July 2011. */
describe.skipIf(!isInstalled && !process.env.CI)('hledger-interest', () => {
  it('has the same amounts by § 288 Abs. 1 BGB for each half-year of its table', () => {
    const from = '2002-01-01'
    const to = '2011-12-31'
    const journal = `2001-12-31 claim
  claim  1000000.00 EUR
  other

${to} end
  claim  -1.00 EUR
  other
`
    const options = ['-q', '-f', '-', '--bgb288', '--act', '-s', 'income', '-t', 'interest', 'claim']
    const printed = execFileSync(hledgerInterest, options, {
      input: journal,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    const theirs = [...printed.matchAll(/^ +interest +([\d.]+) EUR/gm)].map(([, amount]) => amount)

    const { rows } = interest({ principal: '1000000', from, to, rate: { above_base: '5' } })

    expect(rows.map(({ amount }) => amount)).toEqual(theirs)
    expect(rows).toHaveLength(20)
  })
})
