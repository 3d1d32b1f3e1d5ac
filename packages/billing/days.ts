import type { CalendarDate } from '#german-time/calendar-date.ts'
import { invalidRange } from '#kernel/failure.ts'

/** @throws Failure INVALID_DATE_RANGE if `date_from` is after `date_to` */
export function requireDaysInOrder(days: {
  date_from?: CalendarDate | undefined
  date_to?: CalendarDate | undefined
}): void {
  const { date_from, date_to } = days
  if (date_from !== undefined && date_to !== undefined && date_from > date_to)
    throw invalidRange('query.date_from', '`date_from` must not be after `date_to`.')
}
