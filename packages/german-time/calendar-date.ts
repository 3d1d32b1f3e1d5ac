/** A day of the Gregorian calendar, as `YYYY-MM-DD`. */
export type CalendarDate = string

const millisecondsPerDay = 86_400_000

/** The number of days since 1 January 1970, for adding and comparing days. */
export function dayNumberOf(date: CalendarDate): number {
  return dayNumber(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)))
}

/** Like `dayNumberOf`, from a year (100 to 9999), a month and a day. Month 13 is January of the next year. */
export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / millisecondsPerDay
}

export function calendarDateOf(dayNumber: number): CalendarDate {
  return new Date(dayNumber * millisecondsPerDay).toISOString().slice(0, 10)
}

/** 0 for Sunday to 6 for Saturday; 1 January 1970 was a Thursday. */
export function weekdayOf(dayNumber: number): number {
  return (((dayNumber + 4) % 7) + 7) % 7
}

export function daysInMonth(year: number, month: number): number {
  return dayNumber(year, month + 1, 1) - dayNumber(year, month, 1)
}

const weekdays = ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag'] as const

/** `Freitag, 30.11.2018` */
export function germanDate(dayNumber: number): string {
  return `${weekdays[weekdayOf(dayNumber)]}, ${germanDay(calendarDateOf(dayNumber))}`
}

/** `30.11.2018` */
export function germanDay(date: CalendarDate): string {
  return date.split('-').toReversed().join('.')
}
