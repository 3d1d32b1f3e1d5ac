import type { CalendarDate } from '#german-time/calendar-date.ts'
import { Failure } from '#kernel/failure.ts'
import type { BookingPeriod } from './booking-ports.ts'
import type { SourceFilters } from './ports.ts'

/**
 * The days of a batch of bookings. DATEV writes booking dates without a year and imports a batch into one fiscal year,
 * so a batch stays within one calendar year: a bound that is missing is the first or last day of the other bound's
 * year, and without bounds it is the current year. The invoices are read with exactly these bounds.
 *
 * @param today the current day in the workspace's time zone
 * @throws Failure INVALID_FILTER where the two filters lie in different years
 */
export function bookingPeriod(
  { date_from, date_to }: Pick<SourceFilters, 'date_from' | 'date_to'>,
  today: CalendarDate,
): BookingPeriod {
  const year = yearOf(date_from ?? date_to ?? today)
  if (date_to !== undefined && yearOf(date_to) !== year) throw spansYears()
  return { from: date_from ?? `${year}-01-01`, to: date_to ?? `${year}-12-31` }
}

const yearOf = (date: CalendarDate) => date.slice(0, 4)

function spansYears(): Failure {
  const message =
    'A DATEV export lies within one calendar year. Choose date_from and date_to of the same year.'
  return new Failure('invalid', 'INVALID_FILTER', message, {
    details: [{ path: 'body.filters.date_to', message: 'Is in another year than date_from.' }],
  })
}
