import type { DeadlineRecord, ListedDeadline } from '#deadlines/ports.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import type { Action } from '../transact.ts'
import type { deadlineEntity } from './deadline-entity.ts'

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

/** The nested members that a deadline may lack. */
const optional = {
  'evidence.checked_by': true,
  'evidence.document_id': true,
  'evidence.message_id': true,
  'evidence.receipt_at': true,
  'evidence.text': true,
} as const

/** Replaces a deadline on the condition that nobody has changed it. */
export function replacementOf(
  deadlines: ReturnType<typeof deadlineEntity>,
  before: DeadlineRecord,
  after: DeadlineRecord & { changed_at: string },
): Action {
  const written = deadlines
    .put(withoutNulls(after))
    .where(({ version }, { eq }) => eq(version, before.version))
  return rewrite(deadlines, written, before, { mayLack: optional })
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
