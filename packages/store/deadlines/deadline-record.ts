import type { DeadlineRecord, ListedDeadline } from '#deadlines/ports.ts'
import type { Stamped } from '../change-log.ts'
import type { Db } from '../db.ts'
import { withNulls } from '../nulls.ts'
import { records } from '../records.ts'
import { deadlineEntity } from './deadline-entity.ts'

/** The records of deadlines, including struck ones. */
export function deadlineRecords(db: Db) {
  return records<DeadlineRecord & Stamped>(db, deadlineEntity, {
    missing: 'DEADLINE_NOT_FOUND',
    mayLack: {
      'evidence.checked_by': true,
      'evidence.document_id': true,
      'evidence.message_id': true,
      'evidence.receipt_at': true,
      'evidence.text': true,
    },
  })
}

const { basis: _, ...nullableInLists } = deadlineEntity.nullable

type StoredListed = Omit<ListedDeadline, keyof typeof nullableInLists> & {
  [Field in keyof typeof nullableInLists]?: unknown
}

/** A deadline of a list from what its entry holds. */
export function listedDeadlineOf(stored: StoredListed): ListedDeadline {
  return withNulls(stored, nullableInLists) as ListedDeadline
}
