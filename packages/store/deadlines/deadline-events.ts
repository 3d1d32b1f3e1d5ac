import type { DeadlineRecord } from '#deadlines/ports.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'

/** The event of a change of a deadline (E1). `before` is undefined of a new one. */
export function deadlineEvents(before: DeadlineRecord | undefined, after: DeadlineRecord): NewEvent[] {
  return eventsAbout(after, `deadline.${verbOf(before, after)}`)
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
