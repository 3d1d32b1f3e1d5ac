import type { DeadlineRecord } from '#deadlines/ports.ts'
import { withNulls } from '../nulls.ts'

const nullable = [
  'follows_days',
  'verified_by',
  'verified_at',
  'delegation',
  'completed_at',
  'completed_by',
  'evidence',
  'struck_at',
  'struck_by',
] as const

type StoredDeadline = Omit<DeadlineRecord, (typeof nullable)[number]> & {
  [Field in (typeof nullable)[number]]?: unknown
}

/** A deadline from what the table holds of it. */
export function deadlineOf(stored: StoredDeadline): DeadlineRecord {
  return withNulls(stored, nullable) as DeadlineRecord
}
