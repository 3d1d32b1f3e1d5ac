import { expect, it } from 'vitest'
import { bookingPeriod } from '#exports/booking-period.ts'
import { Failure } from '#kernel/failure.ts'

const today = '2026-11-22'

it.each([
  [{}, '2026-01-01', '2026-12-31'],
  [{ date_from: '2025-04-01' }, '2025-04-01', '2025-12-31'],
  [{ date_to: '2025-03-31' }, '2025-01-01', '2025-03-31'],
  [{ date_from: '1900-01-01' }, '1900-01-01', '1900-12-31'],
  [{ date_from: '2024-02-01', date_to: '2024-02-29' }, '2024-02-01', '2024-02-29'],
])('a batch of bookings with the filters %j goes from %s to %s', (filters, from, to) => {
  expect(bookingPeriod(filters, today)).toEqual({ from, to })
})

it.each([
  [{ date_to: '9999-12-31' }, 'date_to'],
  [{ date_from: '9999-01-01' }, 'date_from'],
  [{ date_from: '0001-01-02' }, 'date_from'],
  [{ date_to: '1899-12-31' }, 'date_to'],
])('a batch of bookings is refused where it would be of a year that no invoice has: %j', (filters, filter) => {
  expect(() => bookingPeriod(filters, today)).toThrow(
    expect.objectContaining({
      code: 'INVALID_FILTER',
      details: [{ path: `body.filters.${filter}`, message: expect.any(String) }],
    }),
  )
})

it('a batch of bookings is refused where its days lie in two years', () => {
  const attempt = () => bookingPeriod({ date_from: '2025-12-31', date_to: '2026-01-01' }, today)

  expect(attempt).toThrow(Failure)
  expect(attempt).toThrow(expect.objectContaining({ kind: 'invalid', code: 'INVALID_FILTER' }))
})
