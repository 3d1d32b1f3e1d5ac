import { calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { instantOfLocalTime } from '#german-time/local-time.ts'
import { isObject } from '#kernel/is-object.ts'
import { LongText } from './long-text.ts'

/**
 * Tolerant readers of an answer's members. The types of many of them are not documented. An optional member that cannot
 * be read is null; a required one that is missing throws UnreadableAnswer.
 */

/**
 * A required member of an answer is missing or invalid. Neither `message` nor the cause quotes the answer, because
 * errors and their causes are logged.
 */
export class UnreadableAnswer extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreadableAnswer'
  }
}

export type Members = Record<string, unknown>

/** An object; an empty one for any other value. */
export function membersOf(value: unknown): Members {
  return isObject(value) && !(value instanceof LongText) ? value : {}
}

/** @throws UnreadableAnswer */
export function requiredText(members: Members, name: string): string {
  return optionalText(members[name]) ?? missing(name)
}

/** An opaque id; numbers become texts. @throws UnreadableAnswer */
export function requiredId(members: Members, name: string): string {
  return optionalId(members[name]) ?? missing(name)
}

/** @throws UnreadableAnswer if it is neither a list nor null or missing */
export function listOf(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null || value === '') return []
  if (!Array.isArray(value)) throw new UnreadableAnswer(`The member ${name} is not a list.`)
  return value
}

/** A text that is not empty; otherwise null. A lone surrogate, which the table does not accept, becomes U+FFFD. */
export function optionalText(value: unknown): string | null {
  const text = value instanceof LongText ? value.text() : value
  return typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : null
}

export function optionalId(value: unknown): string | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : optionalText(value)
}

export function optionalCount(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** A flag as boolean, number or text; null for any other value. */
export function optionalFlag(value: unknown): boolean | null {
  if (value === true || value === 1 || /^(true|1|ja|yes)$/i.test(String(value))) return true
  if (value === false || value === 0 || /^(false|0|nein|no)$/i.test(String(value))) return false
  return null
}

const isoTime =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/]+\])?$/i
const compactTime = /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)(?!\d)/i
const germanTime = /^(\d\d)\.(\d\d)\.(\d{4}),? (\d\d:\d\d(?::\d\d)?)$/

/**
 * A moment as ISO 8601 in UTC, or null if it is missing or not readable. The format is not specified: ISO 8601, also
 * without separators (14 digits), the German notation, and milliseconds since 1970 (12 or 13 digits) are accepted.
 *
 * @param timeZone the time zone of times without an offset
 */
export function optionalTime(value: unknown, timeZone: string): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim().replace(compactTime, '$1-$2-$3T$4:$5:$6')
  if (/^\d{12,13}$/.test(text)) return validTime(new Date(Number(text)))
  const [, day, month, year, germanClock] = germanTime.exec(text) ?? []
  const [, isoDate, isoClock, offset] = isoTime.exec(text) ?? []
  const date = isoDate ?? (year && `${year}-${month}-${day}`)
  const clock = (isoClock ?? germanClock)?.replace(/(\.\d{3})\d+$/, '$1')
  if (date === undefined || clock === undefined || Number.isNaN(Date.parse(`${date}T${clock}Z`))) return null
  // The 30th of February is not read as a day in March.
  if (calendarDateOf(dayNumberOf(date)) !== date) return null
  if (offset === undefined) return validTime(instantOfLocalTime(date, clock, timeZone))
  const zone = offset.length === 3 ? `${offset}:00` : offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  return validTime(new Date(`${date}T${clock}${zone.toUpperCase()}`))
}

function validTime(instant: Date): string | null {
  const year = instant.getUTCFullYear()
  return year >= 1990 && year < 9999 ? instant.toISOString() : null
}

function missing(name: string): never {
  throw new UnreadableAnswer(`The member ${name} is missing.`)
}
