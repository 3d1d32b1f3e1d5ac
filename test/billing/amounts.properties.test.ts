import { describe, expect, it } from 'vitest'
import { amountOfTime, hoursOf, netOfLine, reversed, totalsOf } from '#billing/amounts.ts'
import type { InvoiceLine } from '#billing/schema.ts'
import { decimal, money, negated } from '#kernel/decimal.ts'
import fc from '#test/support/properties.ts'

/** A decimal text with this number of places, from a whole number of its smallest units. */
const textOf = (units: bigint, places: number): string => {
  const size = (units < 0n ? -units : units).toString().padStart(places + 1, '0')
  return `${units < 0n ? '-' : ''}${size.slice(0, -places)}.${size.slice(-places)}`
}

/** The reference: half up, away from zero, in whole numbers. */
const roundedDiv = (dividend: bigint, divisor: bigint): bigint => {
  const size = dividend < 0n ? -dividend : dividend
  const quotient = (2n * size + divisor) / (2n * divisor)
  return dividend < 0n ? -quotient : quotient
}

const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''))

const price = fc.bigInt({ min: 0n, max: 99_999_999_999n })
const quantity = fc.bigInt({ min: -9_999_999_999n, max: 9_999_999_999n })
const rate = fc.constantFrom('19', '7', '0')
const lineOf = (units: bigint, unitPrice: bigint, tax_rate: string): InvoiceLine => {
  const priced = { quantity: textOf(units, 4), unit_price: textOf(unitPrice, 4) }
  return { text: 'Beratung', unit: 'hour', ...priced, tax_rate, net: netOfLine(priced), time_entry_id: null }
}
const lines = fc.array(
  fc.tuple(quantity, price, rate).map((parts) => lineOf(...parts)),
  { maxLength: 40 },
)

describe('amounts (X6, X7)', () => {
  it('time costs minutes / 60 × rate, rounded half up once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1440 }), price, (minutes, units) => {
        const amount = amountOfTime({ minutes, rate: textOf(units, 4), billable: true })
        expect(amount).toBe(textOf(roundedDiv(BigInt(minutes) * units, 6_000n), 2))
      }),
    )
  })

  it('a line costs quantity × unit price, rounded half up, and minus as much for the negative quantity', () => {
    fc.assert(
      fc.property(quantity, price, (units, unitPrice) => {
        const line = { quantity: textOf(units, 4), unit_price: textOf(unitPrice, 4) }
        const net = netOfLine(line)
        expect(centsOf(net)).toBe(roundedDiv(units * unitPrice, 1_000_000n))
        expect(netOfLine({ ...line, quantity: textOf(-units, 4) })).toBe(negated(net))
      }),
    )
  })

  it('the sums are exact: taxes rounded per rate, net of all lines, gross of net and tax', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const totals = totalsOf(all)
        for (const { tax_rate, net, tax } of totals.taxes) {
          const own = all.filter((line) => line.tax_rate === tax_rate)
          expect(centsOf(net)).toBe(own.reduce((sum, line) => sum + centsOf(line.net), 0n))
          expect(centsOf(tax)).toBe(roundedDiv(centsOf(net) * BigInt(tax_rate), 100n))
        }
        expect(centsOf(totals.net)).toBe(all.reduce((sum, line) => sum + centsOf(line.net), 0n))
        expect(centsOf(totals.tax)).toBe(totals.taxes.reduce((sum, one) => sum + centsOf(one.tax), 0n))
        expect(centsOf(totals.gross)).toBe(centsOf(totals.net) + centsOf(totals.tax))
        expect(totals.taxes.map(({ tax_rate }) => tax_rate)).toEqual(
          ['19', '7', '0'].filter((one) => all.some((line) => line.tax_rate === one)),
        )
      }),
    )
  })

  it('a cancellation is the exact negative of the cancelled invoice, by line, rate and sum', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const [before, after] = [totalsOf(all), totalsOf(reversed(all))]
        expect(after).toEqual({
          taxes: before.taxes.map((one) => ({ ...one, net: negated(one.net), tax: negated(one.tax) })),
          net: negated(before.net),
          tax: negated(before.tax),
          gross: negated(before.gross),
        })
        for (const line of reversed(all)) expect(line.net).toBe(netOfLine(line))
      }),
    )
  })

  it('the hours of a time entry are at most half a ten-thousandth away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1440 }), (minutes) => {
        const hours = hoursOf(minutes)
        expect(hours).toMatch(/^\d+(\.\d{1,4})?$/)
        expect(decimal(hours).times(60).minus(minutes).abs().lte('0.003')).toBe(true)
      }),
    )
  })

  it('half a cent goes away from zero, and zero has no sign', () => {
    expect(
      ['0.005', '-0.005', '0.0049', '-0.0049', '1.005', '-1.005'].map((one) => money(decimal(one))),
    ).toEqual(['0.01', '-0.01', '0.00', '0.00', '1.01', '-1.01'])
  })
})
