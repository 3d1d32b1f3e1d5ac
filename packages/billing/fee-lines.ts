import type { InvoiceBasis, RvgInput, RvgLine, RvgResult } from '#fees/rvg-schema.ts'
import { germanDecimal } from '#kernel/decimal.ts'
import { netOfLine } from './amounts.ts'
import type { InvoiceLine } from './schema.ts'

/**
 * The lines of an invoice from a calculation of fees (V6). Each text contains what § 10 Abs. 2 RVG requires: the name
 * and number of the fee, its value and its rate. A credit is a line with quantity `-1`.
 */
export function feeLines(result: RvgResult | undefined): InvoiceLine[] {
  if (result === undefined) return []
  return result.lines.map((line) => {
    const isCredited = line.amount.startsWith('-')
    const priced = {
      quantity: isCredited ? '-1' : '1',
      unit: 'piece' as const,
      unit_price: line.amount.replace('-', ''),
    }
    const net = netOfLine(priced)
    return { text: textOf(line), ...priced, tax_rate: result.vat_rate, net, time_entry_id: null }
  })
}

/** The calculation as the invoice keeps it (V6). Fields that the request did not have are null. */
export function basisOf(input: RvgInput, result: RvgResult): InvoiceBasis {
  const request = {
    ...input,
    client_values: input.client_values ?? null,
    fees: input.fees.map(({ vv, rate = null, value = null, clients = null }) => ({
      vv,
      rate,
      value,
      clients,
    })),
    credited: input.credited.map(({ vv, rate, value = null, ordered_on = null }) => ({
      vv,
      rate,
      value,
      ordered_on,
    })),
    expenses: input.expenses.map(({ vv, pages = null, kilometres = null, hours = null, amount = null }) => ({
      vv,
      pages,
      kilometres,
      hours,
      amount,
    })),
  }
  return { request, result }
}

function textOf({ name, number, value, rate }: RvgLine): string {
  const parts = [`${name}, ${number}`]
  if (value !== null) parts.push(`Wert ${germanDecimal(value)} €`)
  if (rate !== null) parts.push(`Satz ${germanDecimal(rate)}`)
  return parts.join(', ')
}
