import type { EventRecord } from '#calendar/ports.ts'

/** An agenda: the timed events of a user on a day (`2026-04-16`), or the all-day events in a month (`2026-04`). */
export type AgendaKey = { user_id: string; kind: 'day' | 'month'; bucket: string }

/** An event in an agenda, as it is stored: its id, start (`s`) and end (`e`), UTC with milliseconds. */
export type Ref = { id: string; s: string; e: string }

/**
 * The agendas that contain an event, one for each participant and each day of a timed event, or each month of an
 * all-day event. A deleted event is in none.
 */
export function agendaKeysOf(record: EventRecord): AgendaKey[] {
  if (record.deleted_at !== null) return []
  const kind = record.all_day ? 'month' : 'day'
  const buckets = bucketsOf(kind, record)
  const users = record.attendees.length > 0 ? record.attendees : [record.created_by]
  return users.flatMap((user_id) => buckets.map((bucket) => ({ user_id, kind, bucket })))
}

/** The days or months that a half-open interval touches. */
export function bucketsOf(
  kind: AgendaKey['kind'],
  { starts_at, ends_at }: Pick<EventRecord, 'starts_at' | 'ends_at'>,
): string[] {
  const buckets = new Set<string>()
  const last = Date.parse(ends_at) - 1
  for (let at = Date.parse(starts_at); at < last; at += 86_400_000)
    buckets.add(bucketOf(kind, new Date(at).toISOString()))
  buckets.add(bucketOf(kind, new Date(last).toISOString()))
  return [...buckets]
}

/** The number of days that a timed event touches: as many as `bucketsOf` lists. */
export function daysOf({ starts_at, ends_at }: Pick<EventRecord, 'starts_at' | 'ends_at'>): number {
  const dayAt = (time: number) => Math.floor((time - beginsAtHour.day * 3_600_000) / 86_400_000)
  return dayAt(Date.parse(ends_at) - 1) - dayAt(Date.parse(starts_at)) + 1
}

/**
 * The hour (UTC) at which a day or month begins. 03:00 UTC is night in Germany, so hardly any event touches two days.
 * The hour does not depend on the workspace's time zone, which may change. All-day events begin at midnight UTC.
 */
const beginsAtHour = { day: 3, month: 0 } as const

/** The day or month of a moment. */
export function bucketOf(kind: AgendaKey['kind'], instant: string): string {
  const shifted = new Date(Date.parse(instant) - beginsAtHour[kind] * 3_600_000).toISOString()
  return shifted.slice(0, kind === 'day' ? 10 : 7)
}
