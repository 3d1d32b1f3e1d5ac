import type { CaseDeadlines } from '#cases/ports.ts'
import type { ListedDeadline } from '#deadlines/ports.ts'
import { stamped } from '../change-log.ts'
import type { Db } from '../db.ts'
import { retryStale, transact } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { unstruck } from './deadline-changes.ts'
import { deadlineEvents } from './deadline-events.ts'
import { deadlineRecords } from './deadline-record.ts'
import { dueLists, placeOf } from './due-lists.ts'

/** The number of deadlines that are read and changed at once. */
const atOnce = 25

/** The deadlines of a case, for its deletion (C8) and its return from a restored table. */
export function deadlinesOfCase(db: Db): CaseDeadlines {
  const deadlines = deadlineRecords(db)
  const lists = dueLists(db)
  const recordEvents = eventActions(db)

  /** Whether the mark of the deadline was another one before. */
  const mark = (workspaceId: string, id: string, case_deleted_at: string | null): Promise<boolean> =>
    retryStale(async () => {
      const before = await deadlines.find(workspaceId, id)
      if (before === undefined || isMarked(before) === (case_deleted_at !== null)) return false
      const record = stamped({ ...before, case_deleted_at, version: before.version + 1 }, before)
      await transact(db, [
        deadlines.replace(before, record),
        ...lists.changes(before, record),
        ...recordEvents(workspaceId, deadlineEvents(before, record)),
      ])
      return true
    })

  /** Marks what the list of the case shows unmarked, or the reverse. @returns whether there was any */
  const markListed = async (
    workspaceId: string,
    case_id: string,
    deletedAt: string | null,
  ): Promise<boolean> => {
    const marked: boolean[] = []
    for (let last: ListedDeadline | undefined; ; ) {
      const after = last && placeOf(last)
      const page = await lists.due(workspaceId, { states: unstruck, case_id }, { after, limit: atOnce })
      const others = page.filter((one) => isMarked(one) === (deletedAt === null))
      marked.push(...(await Promise.all(others.map(({ id }) => mark(workspaceId, id, deletedAt)))))
      if (page.length < atOnce) return marked.includes(true)
      last = page.at(-1)
    }
  }

  return {
    open: (workspaceId, case_id, limit) =>
      lists.due(workspaceId, { states: ['open', 'verified'], case_id }, { limit }),

    markCaseDeleted: async (workspaceId, caseId, deletedAt) => {
      // Again until none is found: a change at the same time may have added a deadline or moved one past the read.
      for (let found = true; found; ) found = await markListed(workspaceId, caseId, deletedAt)
    },
  }
}

function isMarked({ case_deleted_at }: Pick<ListedDeadline, 'case_deleted_at'>): boolean {
  return case_deleted_at !== null
}
