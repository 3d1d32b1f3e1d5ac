import Big from 'big.js'
import type { Seller } from '#billing/firm-schema.ts'
import type { Invoice, InvoiceLine } from '#billing/schema.ts'

/** A firm with all its details. */
export const seller: Seller = {
  name: 'Kanzlei Fuchs & Partner mbB',
  street: 'Lindenallee 4',
  postcode: '10115',
  city: 'Berlin',
  country: 'DE',
  vat_id: 'DE123456789',
  tax_number: '37/123/45678',
  contact_name: 'Anna Fuchs',
  phone: '+49 30 1234567',
  email: 'rechnung@fuchs.example',
  iban: 'DE02 1203 0000 0000 2020 51',
}

export type GivenLine = Partial<InvoiceLine> & Pick<InvoiceLine, 'quantity' | 'unit_price' | 'tax_rate'>

/** A complete issued invoice with these lines and fields. The amounts are calculated from the lines. */
export function invoiceOf(given: GivenLine[], other: Partial<Invoice> = {}): Invoice {
  const lines = given.map((line) => ({
    text: 'Beratung',
    unit: line.time_entry_id ? ('hour' as const) : ('piece' as const),
    time_entry_id: null,
    net: money(Big(line.quantity).times(line.unit_price)),
    ...line,
  }))
  const rates = [...new Set(lines.map(({ tax_rate }) => tax_rate))].sort((a, b) => Number(b) - Number(a))
  const taxes = rates.map((tax_rate) => {
    const net = sum(lines.filter((line) => line.tax_rate === tax_rate).map((line) => line.net))
    return { tax_rate, net: money(net), tax: money(net.times(tax_rate).div(100)) }
  })
  const net = sum(taxes.map((tax) => tax.net))
  const tax = sum(taxes.map((it) => it.tax))
  return {
    id: '0199a000-0000-7000-8000-000000000001',
    number: 'R-2026-0001',
    case_id: '0199a000-0000-7000-8000-0000000000aa',
    basis: null,
    party_id: null,
    status: 'issued',
    invoice_date: '2026-11-20',
    due_date: '2026-12-04',
    service_from: '2026-10-26',
    service_to: '2026-11-19',
    buyer: {
      name: 'Müller GmbH',
      street: 'Hauptstraße 1',
      postcode: '20095',
      city: 'Hamburg',
      country: 'DE',
      email: 'buchhaltung@mueller.example',
      vat_id: null,
    },
    buyer_reference: '04011000-1234512345-06',
    lines,
    taxes,
    net: money(net),
    tax: money(tax),
    gross: money(net.plus(tax)),
    currency: 'EUR',
    cancels: null,
    cancelled_by: null,
    issued_at: '2026-11-20T10:00:00Z',
    paid_at: null,
    created_at: '2026-11-19T10:00:00Z',
    updated_at: '2026-11-20T10:00:00Z',
    ...other,
  }
}

/** The invoice that cancels another: the same lines with negative quantities. */
export function cancellationOf(invoice: Invoice): Invoice {
  const lines = invoice.lines.map(({ net: _, quantity, ...line }) => ({
    ...line,
    quantity: Big(quantity).times(-1).toFixed(),
  }))
  return invoiceOf(lines, {
    id: '0199a000-0000-7000-8000-000000000002',
    number: 'R-2026-0002',
    invoice_date: '2026-11-23',
    due_date: null,
    buyer: invoice.buyer,
    buyer_reference: invoice.buyer_reference,
    cancels: invoice.id,
  })
}

function sum(amounts: string[]): Big {
  return amounts.reduce((total, amount) => total.plus(amount), Big(0))
}

/** Rounds half a cent away from zero. */
function money(amount: Big): string {
  return amount.round(2, Big.roundHalfUp).toFixed(2)
}
