import { describe, expect, it } from 'vitest'
import { invoiceKeptUntil } from '#store/retention/kept-invoices.ts'

const berlin = 'Europe/Berlin'

describe('an invoice is kept until the end of the eighth year', () => {
  it.each([
    ['after the year in which it was issued', '2026-03-01T09:00:00.000Z', '2026-03-01', '2034-12-31'],
    ['of the firm’s time zone', '2026-12-31T23:30:00.000Z', '2026-12-31', '2035-12-31'],
    ['after the year of its date, if that is later', '2026-12-30T09:00:00.000Z', '2027-01-02', '2035-12-31'],
    ['in four digits, at most', '2026-03-01T09:00:00.000Z', '9998-03-01', '9999-12-31'],
  ])('%s', (_, issued_at, invoice_date, last) => {
    expect(invoiceKeptUntil({ issued_at, invoice_date }, berlin)).toBe(last)
  })

  it('and is not kept if it was never issued', () => {
    expect(invoiceKeptUntil({ issued_at: null, invoice_date: '2026-03-01' }, berlin)).toBeNull()
  })
})
