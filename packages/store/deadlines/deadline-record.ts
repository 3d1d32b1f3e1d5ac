import type { DeadlineRecord, ListedDeadline } from '#deadlines/ports.ts'
import { withNulls } from '../nulls.ts'

const nullable = [
  'basis',
  'follows_days',
  'verified_by',
  'verified_at',
  'delegation',
  'completed_at',
  'completed_by',
  'evidence',
  'exit_control',
  'struck_at',
  'struck_by',
  'struck_reason',
  'extension',
  'provisional_for',
  'case_deleted_at',
] as const

type StoredDeadline = Omit<DeadlineRecord, (typeof nullable)[number]> & {
  [Field in (typeof nullable)[number]]?: unknown
}

/** A deadline from what the table holds of it. */
export function deadlineOf(stored: StoredDeadline): DeadlineRecord {
  return withNulls(stored, nullable) as DeadlineRecord
}

type StoredListed = Omit<ListedDeadline, Exclude<(typeof nullable)[number], 'basis'>> & {
  [Field in Exclude<(typeof nullable)[number], 'basis'>]?: unknown
}

/** The same of an entry of a list. */
export function listedDeadlineOf(stored: StoredListed): ListedDeadline {
  return withNulls(
    stored,
    nullable.filter((field) => field !== 'basis'),
  ) as ListedDeadline
}
