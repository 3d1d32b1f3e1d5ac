import type { Cell, FieldType } from '#exports/table-schema.ts'
import { localClock } from '#german-time/local-time.ts'

/**
 * The value of a cell, read by the type of its column. A boolean is a boolean in every column. Any other value that
 * does not match the type is text, with every protection of text.
 */
export type CellValue =
  | { is: 'nothing' }
  | { is: 'text'; text: string }
  /** A decimal as digits, such as `-12.50`. */
  | { is: 'decimal'; digits: string }
  | { is: 'boolean'; value: boolean }
  /** A day, or a moment in local time (of the workspace's time zone). The UTC fields of `date` have its values. */
  | { is: 'day' | 'moment'; date: Date }

export function cellValue(cell: Cell | undefined, type: FieldType, timeZone: string): CellValue {
  if (cell === null || cell === undefined) return nothing
  if (typeof cell === 'boolean') return { is: 'boolean', value: cell }
  const text = String(cell)
  if (type === 'text') return { is: 'text', text }
  if (isDecimal(text, type)) return { is: 'decimal', digits: text }
  if (type === 'date' && /^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const date = new Date(text)
    if (dayExists(date, text)) return { is: 'day', date }
  }
  if (type === 'timestamp' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(text)) {
    const date = new Date(text)
    const local = dayExists(date, text) ? localClock(date, timeZone) : undefined
    if (local !== undefined && local.getUTCFullYear() <= 9_999) return { is: 'moment', date: local }
  }
  return { is: 'text', text }
}

/** Whether this is a number in a numeric column. */
export function isDecimal(text: string, type: FieldType): boolean {
  return (type === 'amount' || type === 'number' || type === 'decimal') && /^-?\d+(\.\d+)?$/.test(text)
}

/** `20.11.2026` */
export function germanDay(date: Date): string {
  return germanDayOf(date.toISOString())
}

/** `20.11.2026 09:30:00`. Fractions of seconds are cut off, not rounded. */
export function germanMoment(date: Date): string {
  const iso = date.toISOString()
  return `${germanDayOf(iso)} ${iso.slice(11, 19)}`
}

/**
 * Cuts a text to 32 767 UTF-16 units, which is Excel's limit of a cell. It never cuts within a surrogate pair. A cut
 * text ends with `cutMark`.
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

/** Whether the day exists: JavaScript reads 2026-02-30 as 2026-03-02. */
function dayExists(date: Date, text: string): boolean {
  return date.getUTCDate() === Number(text.slice(8, 10))
}

function germanDayOf(iso: string): string {
  return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}`
}
