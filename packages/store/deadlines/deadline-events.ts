import type { DeadlineRecord } from '#deadlines/ports.ts'
import { isOver } from '#german-time/time-limit.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'
import type { Stamped } from '../change-log.ts'
import { stateOf } from './deadline-changes.ts'

type Stored = DeadlineRecord & Stamped

/** The events of a change of a deadline (E1). `before` is undefined of a new one. */
export function deadlineEvents(before: Stored | undefined, after: Stored): NewEvent[] {
  const changed = eventsAbout(after, `deadline.${verbOf(before, after)}`)
  return isOverdueAtOnce(before, after) ? [...changed, ...overdueEvents(after)] : changed
}

/** The event of a deadline whose time has passed. */
export function overdueEvents(record: Stored): NewEvent[] {
  return eventsAbout(record, 'deadline.overdue')
}

/** Whether a deadline is new, and its time had passed when it was written (E10). */
export function isOverdueAtOnce(before: Stored | undefined, after: Stored): boolean {
  return before === undefined && isOpen(after) && isOver(after.due_at, new Date(after.changed_at ?? ''))
}

/** Whether a deadline is to be met: nobody has completed or struck it. */
export function isOpen(record: DeadlineRecord): boolean {
  const state = stateOf(record)
  return state === 'open' || state === 'verified'
}

function verbOf(before: DeadlineRecord | undefined, after: DeadlineRecord) {
  if (before === undefined) return 'created'
  const begins = (field: 'struck_at' | 'completed_at' | 'verified_by') =>
    before[field] === null && after[field] !== null
  if (begins('struck_at')) return 'deleted'
  if (begins('completed_at')) return 'completed'
  if (before.completed_at !== null && after.completed_at === null) return 'reopened'
  return begins('verified_by') ? 'verified' : 'updated'
}
