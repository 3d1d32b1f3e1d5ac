import { type Decimal, decimal, money, negated, shortest, sumOf } from '#kernel/decimal.ts'
import type { Invoice, InvoiceLine, InvoiceTax } from './schema.ts'

/** The price of time: minutes / 60 × rate, rounded half up; null without a rate, `0.00` if it is not billed (X6). */
export function amountOfTime({
  minutes,
  rate,
  billable,
}: {
  minutes: number
  rate: string | null
  billable: boolean
}): string | null {
  if (!billable) return money(decimal(0))
  return rate === null ? null : money(decimal(rate).times(minutes).div(60))
}

/** Minutes as hours with at most four places, as a line of an invoice states them. */
export function hoursOf(minutes: number): string {
  return shortest(decimal(minutes).div(60), 4)
}

/** Quantity × unit price of a line, rounded half up to the cent. */
export function netOfLine({ quantity, unit_price }: { quantity: string; unit_price: string }): string {
  return money(decimal(quantity).times(unit_price))
}

/** The sums of an invoice. */
export type Totals = Pick<Invoice, 'taxes' | 'net' | 'tax' | 'gross'>

/**
 * The sums of these lines (X7). For each rate: the net of its lines and the tax on that net, rounded once; the highest
 * rate first. The tax of the invoice is the sum of the rounded taxes (EN 16931, BR-CO-14), so every sum is exact.
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
 * The lines that reverse these lines: quantities and amounts are negative. Prices stay positive, because an electronic
 * invoice has no negative prices (EN 16931, BR-27). They name no time entries, because the cancellation frees these.
 */
export function reversed(lines: readonly InvoiceLine[]): InvoiceLine[] {
  return lines.map((line) => ({
    ...line,
    quantity: negated(line.quantity),
    net: negated(line.net),
    time_entry_id: null,
  }))
}
