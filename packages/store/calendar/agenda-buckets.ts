import type { EventRecord } from '#calendar/ports.ts'

/** One agenda: what a user has on a day, or in a month. */
export type AgendaKey = { user_id: string; kind: 'day' | 'month'; bucket: string }

/** An event in an agenda: when it starts and ends, UTC with milliseconds. */
export type Ref = { id: string; s: string; e: string }

/**
 * The agendas that contain an event: a timed one is in the agendas of its days, an all-day one in the agendas of its
 * months.
 */
export function agendaOf(record: EventRecord): AgendaKey[] {
  if (record.deleted_at !== null) return []
  const kind = record.all_day ? 'month' : 'day'
  const buckets = bucketsOf(kind, record)
  const users = record.attendees.length > 0 ? record.attendees : [record.created_by]
  return users.flatMap((user_id) => buckets.map((bucket) => ({ user_id, kind, bucket })))
}

/** The days or months that a half-open time touches. */
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

/**
 * Days begin at 03:00 UTC, early in a German morning, so that hardly anything touches two of them. They do not depend
 * on the workspace's time zone, which may change. Months follow the dates of all-day events.
 */
const beginsAtHour = { day: 3, month: 0 } as const

/** The day or month of a moment. */
export function bucketOf(kind: AgendaKey['kind'], instant: string): string {
  const shifted = new Date(Date.parse(instant) - beginsAtHour[kind] * 3_600_000).toISOString()
  return shifted.slice(0, kind === 'day' ? 10 : 7)
}
