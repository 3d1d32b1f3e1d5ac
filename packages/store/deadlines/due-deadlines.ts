import type { DeadlineRecord, DueDeadlines } from '#deadlines/ports.ts'
import type { Stamped } from '../change-log.ts'
import { type Db, strongly } from '../db.ts'
import { dueChanges, dueKey, dueRecord, timedIndex } from '../due-index.ts'
import { type Action, erase, isMade, put, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { isOpen, isOverdueAtOnce, overdueEvents } from './deadline-events.ts'
import { deadlineRecords } from './deadline-record.ts'
import { deadlineOverdue, dueDeadline } from './due-deadline-entity.ts'

type Stored = DeadlineRecord & Stamped

/**
 * The actions that keep the index of due deadlines, for the transaction of a deadline. A new deadline whose time has
 * passed is noted as overdue at once: `deadlineEvents` says so.
 */
export function dueDeadlineActions(db: Db) {
  const due = dueChanges(dueDeadline(db), (record: Stored) =>
    isOpen(record) ? dueItemOf(record) : undefined,
  )
  return (before: Stored | undefined, after: Stored): Action[] =>
    isOverdueAtOnce(before, after) ? [noteAction(db, after)] : due(before, after)
}

/** The open deadlines in the table, by due time. */
export function dueDeadlines(db: Db): DueDeadlines {
  const items = dueDeadline(db)
  const overdue = deadlineOverdue(db)
  const deadlines = deadlineRecords(db)
  const recordEvents = eventActions(db)

  return {
    ...timedIndex('deadlines#due', items, dueRecord),

    note: async ({ workspace_id, id, shard, place }) => {
      const leave = erase(items.delete({ shard, place }))
      const record = await deadlines.find(workspace_id, id)
      if (record === undefined) {
        await transact(db, [leave])
        return false
      }
      const isDue = isOpen(record) && dueItemOf(record).place === place
      const isNew = isDue && (await overdue.get(noteOf(record)).go(strongly)).data === null
      const note = isNew ? [noteAction(db, record), ...recordEvents(workspace_id, overdueEvents(record))] : []
      // Code that does not know the index may have changed the due time.
      const enter = isOpen(record) && !isDue ? [put(items.put(dueItemOf(record)))] : []
      // If somebody changes the deadline meanwhile, the next sweep looks again.
      const isDone = await isMade(transact(db, [deadlines.unchanged(record), ...note, ...enter, leave]))
      return isDone && isNew
    },
  }
}

/** The item of a deadline in the index. */
export function dueItemOf(record: Pick<DeadlineRecord, 'workspace_id' | 'id' | 'due_at'>) {
  const { workspace_id, id, due_at } = record
  return { ...dueKey(due_at, id), workspace_id, id }
}

function noteOf({ workspace_id, id, due_at }: DeadlineRecord) {
  return { workspace_id, id, due_at }
}

/** Fails as Stale if it is noted already. */
function noteAction(db: Db, record: DeadlineRecord): Action {
  return put(deadlineOverdue(db).create(noteOf(record)))
}
