import type { Cell, FieldType } from '#exports/table-schema.ts'
import { type CalendarDate, calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'

/**
 * What a cell is, read strictly by the type of its column. A value that is not what the type promises is text: it is
 * shown as it is, with every protection of text.
 */
export type CellValue =
  | { is: 'nothing' }
  | { is: 'text'; text: string }
  /** A decimal as digits, such as `-12.50`. */
  | { is: 'decimal'; digits: string }
  | { is: 'boolean'; value: boolean }
  | { is: 'day'; day: CalendarDate }
  /** The time that clocks in the workspace's time zone show; seconds are cut off, not rounded. */
  | { is: 'moment'; day: CalendarDate; time: string }

export function cellValue(cell: Cell | undefined, type: FieldType, timeZone: string): CellValue {
  if (cell === null || cell === undefined) return nothing
  if (typeof cell === 'boolean') return { is: 'boolean', value: cell }
  const text = String(cell)
  if (isDecimal(text, type)) return { is: 'decimal', digits: text }
  if (type === 'date' && isDay(text)) return { is: 'day', day: text }
  const local = type === 'timestamp' ? localTime(text, timeZone) : undefined
  return local === undefined ? { is: 'text', text } : { is: 'moment', ...local }
}

/** Whether this is a number in a column of numbers. */
export function isDecimal(text: string, type: FieldType): boolean {
  return (type === 'amount' || type === 'number' || type === 'decimal') && /^-?\d+(\.\d+)?$/.test(text)
}

/** `20.11.2026` */
export function germanDay(day: CalendarDate): string {
  return `${day.slice(8, 10)}.${day.slice(5, 7)}.${day.slice(0, 4)}`
}

/**
 * A text with at most 32 767 UTF-16 units, which is Excel's limit of a cell. A longer one is cut, never within a
 * surrogate pair, and ends with a mark.
 */
export function withinExcelCell(text: string): string {
  if (text.length <= maxExcelCellLength) return text
  let end = maxExcelCellLength - cutMark.length
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end) + cutMark
}

const nothing: CellValue = { is: 'nothing' }
const maxExcelCellLength = 32_767
const cutMark = '… [gekürzt]'

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && isInCalendar(text)
}

/** Whether the day exists: 2026-02-30 would become 2026-03-02. */
function isInCalendar(day: CalendarDate): boolean {
  const number = dayNumberOf(day)
  return !Number.isNaN(number) && calendarDateOf(number) === day
}

function localTime(text: string, timeZone: string): { day: CalendarDate; time: string } | undefined {
  if (!timestampPattern.test(text)) return undefined
  const instant = new Date(text)
  if (Number.isNaN(instant.getTime())) return undefined
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})T(.{8})/.exec(withOffset(instant, timeZone)) ?? []
  return day === undefined || time === undefined ? undefined : { day, time }
}

const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/
