import {
  type CalendarDate,
  calendarDateOf,
  dayNumber,
  dayNumberOf,
  daysInMonth,
} from '#german-time/calendar-date.ts'

export const months = [
  'januar',
  'februar',
  'märz',
  'april',
  'mai',
  'juni',
  'juli',
  'august',
  'september',
  'oktober',
  'november',
  'dezember',
]

/**
 * A date may continue on the next line only with the name of a month, with a year of four digits, or with `12. 2026`.
 * Other numbers there belong to the next row.
 */
const written =
  /(?<![\d.])(\d{1,2})\.(?:(?: |\n(?=\d{1,2}\. (?:19|20)\d\d))?((?:0?[1-9]|1[0-2])(?=\s\p{Ll}{3})|\d{1,2}(?=\.))\.?|\s?(Jan|Feb|Mär|Maer|Mar|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\p{L}{0,6}\.?)(?:\s?((?:19|20)\d\d|(?<![\n\t])\d\d)(?!\d))?/u

/** A date of digits in which OCR took some for letters: `1O.12.2O26`. */
const misread =
  /(?<![\p{L}\d.])(?=\S{0,9}\d\S{0,9}\d)[\dOIl]{1,2}\. ?[\dOIl]{1,2}\. ?(?:[\dOIl]{4}|[\dOIl]{2})(?![\p{L}\d])/gu

/** `2026-12-14`, as programs write it. */
const iso = /(?<![\p{L}\d.-])(?<year>(?:19|20)\d\d)-(?<month>0[1-9]|1[0-2])-(?<day>\d\d)(?![\d-])/u

/** `4/12/2026`, `4/12/26`: for a German reader the day comes first. `Nr. 4/12/26` is none. */
const slashed =
  /(?<![\p{L}\d./-]|(?:Nr|Az)\.:?\s)(?<day>\d{1,2})\/(?<month>0?[1-9]|1[0-2])\/(?<year>(?:19|20)?\d\d)(?![\d/-])/u

/** `04-12-2026`. With a year of two digits it may be any number. */
const dashed =
  /(?<![\p{L}\d./-]|(?:Nr|Az)\.:?\s)(?<day>\d{1,2})-(?<month>0?[1-9]|1[0-2])-(?<year>(?:19|20)\d\d)(?![\d/-])/u

/** `12/14/2026` can only mean that the month comes first. */
const american =
  /(?<![\p{L}\d./-]|(?:Nr|Az)\.:?\s)(?<month>0?[1-9]|1[0-2])\/(?<day>1[3-9]|2\d|3[01])\/(?<year>(?:19|20)?\d\d)(?![\d/-])/u

/** The same number of characters, so that places in the text stay the same. */
function digitsOf(date: string): string {
  return date.replaceAll('O', '0').replace(/[Il]/g, '1')
}

type FoundDate = { date: CalendarDate; index: number; end: number }

/**
 * The first date in a text: `15.12.2026`, `15. Dezember 2026`, `15.12.26`, `15.12.`, `15.12 melden`, `15/12/2026`,
 * `15-12-2026`, `2026-12-15`. Without a year it is the next such day from `today`.
 */
export function findDate(text: string, today: CalendarDate): FoundDate | undefined {
  const numeric = [iso, slashed, dashed, american].map((form) => findNumericDate(text, form))
  return [findGermanDate(text, today), ...numeric].reduce((first, found) =>
    found !== undefined && (first === undefined || found.index < first.index) ? found : first,
  )
}

function findNumericDate(text: string, form: RegExp): FoundDate | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [year, month, day] = [
    yearOf(match.groups?.year ?? ''),
    Number(match.groups?.month),
    Number(match.groups?.day),
  ]
  if (!isDayOf(year, month, day)) return undefined
  const date = calendarDateOf(dayNumber(year, month, day))
  return { date, index: match.index, end: match.index + match[0].length }
}

function yearOf(written: string): number {
  return written.length === 2 ? 2000 + Number(written) : Number(written)
}

function isDayOf(year: number, month: number, day: number): boolean {
  return day >= 1 && day <= daysInMonth(year, month)
}

function findGermanDate(text: string, today: CalendarDate): FoundDate | undefined {
  const match = written.exec(text.replace(misread, digitsOf))
  if (match === null) return undefined
  const [, day = '', monthNumber, monthName = '', year] = match
  const month =
    monthNumber === undefined
      ? months.findIndex((name) => name.startsWith(monthName.toLowerCase().replace(/mae?r/, 'mär'))) + 1
      : Number(monthNumber)
  if (month < 1 || month > 12) return undefined
  const thisYear = Number(today.slice(0, 4))
  const dateIn = (of: number) =>
    isDayOf(of, month, Number(day)) ? dayNumber(of, month, Number(day)) : undefined
  const found =
    year === undefined
      ? [dateIn(thisYear), dateIn(thisYear + 1)].find((it) => it !== undefined && it >= dayNumberOf(today))
      : dateIn(yearOf(year))
  const end = match.index + match[0].length
  return found === undefined ? undefined : { date: calendarDateOf(found), index: match.index, end }
}
