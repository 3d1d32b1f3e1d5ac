import { type Decimal, decimal, money, negated, shortest, sumOf } from '#kernel/decimal.ts'
import type { Invoice, InvoiceLine, InvoiceTax } from './schema.ts'

/**
 * The price of time in euros (X6): `0.00` if the time is not billable; otherwise null without a rate; otherwise
 * minutes / 60 × rate, rounded to the cent. Half a cent is rounded away from zero.
 */
export function amountOfTime(time: {
  minutes: number
  rate: string | null
  billable: boolean
}): string | null {
  const { minutes, rate, billable } = time
  if (!billable) return money(decimal(0))
  return rate === null ? null : money(decimal(rate).times(minutes).div(60))
}

/** Hours with at most four decimal places, as a line of an invoice shows them: 50 minutes are `0.8333`. */
export function hoursOf(minutes: number): string {
  return shortest(decimal(minutes).div(60), 4)
}

/** Quantity × unit price of a line in euros, rounded to the cent; half a cent is rounded away from zero. */
export function netOfLine({ quantity, unit_price }: { quantity: string; unit_price: string }): string {
  return money(decimal(quantity).times(unit_price))
}

export type Totals = Pick<Invoice, 'taxes' | 'net' | 'tax' | 'gross'>

/**
 * The sums of these lines (X7). `taxes` has one entry for each rate, the highest rate first: the net of its lines, and
 * the tax on that net, rounded once. The tax of the invoice is the sum of the rounded taxes (EN 16931, BR-CO-14). So
 * net and tax always add up to gross.
 */
export function totalsOf(lines: readonly Pick<InvoiceLine, 'tax_rate' | 'net'>[]): Totals {
  const nets = new Map<string, Decimal>()
  for (const { tax_rate, net } of lines) nets.set(tax_rate, (nets.get(tax_rate) ?? decimal(0)).plus(net))
  const taxes = [...nets]
    .toSorted(([one], [other]) => decimal(other).cmp(one))
    .map(
      ([tax_rate, net]): InvoiceTax => ({
        tax_rate,
        net: money(net),
        tax: money(net.times(tax_rate).div(100)),
      }),
    )
  const net = sumOf(taxes.map((one) => decimal(one.net)))
  const tax = sumOf(taxes.map((one) => decimal(one.tax)))
  return { taxes, net: money(net), tax: money(tax), gross: money(net.plus(tax)) }
}

/**
 * The lines that cancel these lines: with negated quantities and amounts. Prices stay positive, because an electronic
 * invoice must not have negative prices (EN 16931, BR-27). The result names no time entries: a cancellation frees them.
 */
export function reversed(lines: readonly InvoiceLine[]): InvoiceLine[] {
  return lines.map((line) => ({
    ...line,
    quantity: negated(line.quantity),
    net: negated(line.net),
    time_entry_id: null,
  }))
}
