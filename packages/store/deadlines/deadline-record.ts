import type { DeadlineRecord, ListedDeadline } from '#deadlines/ports.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import type { Action } from '../transact.ts'
import { deadlineEntity } from './deadline-entity.ts'

type Nullable = keyof typeof deadlineEntity.nullable

type StoredDeadline = Omit<DeadlineRecord, Nullable> & { [Field in Nullable]?: unknown }

/** A deadline from what the table holds of it. */
export function deadlineOf(stored: StoredDeadline): DeadlineRecord {
  return withNulls(stored, deadlineEntity.nullable) as DeadlineRecord
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

const { basis: _, ...nullableInLists } = deadlineEntity.nullable

type StoredListed = Omit<ListedDeadline, keyof typeof nullableInLists> & {
  [Field in keyof typeof nullableInLists]?: unknown
}

/** The same of an entry of a list. */
export function listedDeadlineOf(stored: StoredListed): ListedDeadline {
  return withNulls(stored, nullableInLists) as ListedDeadline
}
