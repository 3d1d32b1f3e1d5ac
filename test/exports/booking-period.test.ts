import { expect, it } from 'vitest'
import { bookingPeriod } from '#exports/booking-period.ts'
import { Failure } from '#kernel/failure.ts'

const today = '2026-11-22'

it.each([
  [{}, '2026-01-01', '2026-12-31'],
  [{ date_from: '2025-04-01' }, '2025-04-01', '2025-12-31'],
  [{ date_to: '2025-03-31' }, '2025-01-01', '2025-03-31'],
  [{ date_from: '2024-02-01', date_to: '2024-02-29' }, '2024-02-01', '2024-02-29'],
])('a batch of bookings with the filters %j goes from %s to %s', (filters, from, to) => {
  expect(bookingPeriod(filters, today)).toEqual({ from, to })
})

it('a batch of bookings is refused where its days lie in two years', () => {
  const attempt = () => bookingPeriod({ date_from: '2025-12-31', date_to: '2026-01-01' }, today)

  expect(attempt).toThrow(Failure)
  expect(attempt).toThrow(expect.objectContaining({ kind: 'invalid', code: 'INVALID_FILTER' }))
})
