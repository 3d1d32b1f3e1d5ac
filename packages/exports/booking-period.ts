import type { CalendarDate } from '#german-time/calendar-date.ts'
import { isInValidYear } from '#german-time/time-range.ts'
import { Failure } from '#kernel/failure.ts'
import type { BookingPeriod } from './booking-ports.ts'
import type { SourceFilters } from './ports.ts'

/**
 * The days of a batch of bookings. DATEV writes booking dates without a year and imports a batch into one fiscal year,
 * so a batch stays within one calendar year. A missing bound is the first or last day of the other bound's year;
 * without bounds it is the current year. The invoices are read with exactly these bounds. A year that no invoice can
 * have is refused: `9999-12-31` means an open end, and the file would look like a year without bookings.
 *
 * @param today the current day in the workspace's time zone, or, for a scheduled run, the day of the run before
 * @throws Failure INVALID_FILTER if the two filters are in different years, or in a year that invoices cannot have
 */
export function bookingPeriod(
  { date_from, date_to }: Pick<SourceFilters, 'date_from' | 'date_to'>,
  today: CalendarDate,
): BookingPeriod {
  const bound = date_from ?? date_to ?? today
  const year = yearOf(bound)
  if (date_to !== undefined && yearOf(date_to) !== year)
    throw refused('date_to', 'This is in another year than `date_from`.')
  if (!isInValidYear(bound))
    throw refused(date_from === undefined ? 'date_to' : 'date_from', 'No invoice can have this year.')
  return { from: date_from ?? `${year}-01-01`, to: date_to ?? `${year}-12-31` }
}

const yearOf = (date: CalendarDate) => date.slice(0, 4)

function refused(filter: 'date_from' | 'date_to', message: string): Failure {
  return new Failure(
    'invalid',
    'INVALID_FILTER',
    'A DATEV export covers one calendar year. Choose `date_from` and `date_to` in the same year.',
    { details: [{ path: `body.filters.${filter}`, message }] },
  )
}
