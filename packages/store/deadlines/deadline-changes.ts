import { type DeadlineRecord, type DeadlineState, type DueQuery, deadlineStates } from '#deadlines/ports.ts'
import type { Change } from '#kernel/updated-since.ts'
import { showDeletion } from '../cases/deleted-cases.ts'
import { type Current, changeLog, changeTime } from '../change-log.ts'
import type { Db } from '../db.ts'
import type { Source } from '../sorted-list.ts'
import { type Action, change } from '../transact.ts'
import { deadlineEntity } from './deadline-entity.ts'
import { deadlineRecords } from './deadline-record.ts'

/** The fields of a deadline that the filters of a list use. */
type Seen = Pick<DeadlineRecord, 'case_id' | 'assigned_to' | 'due_at'> & { state: DeadlineState }

/** The changes of deadlines, for their own lists and for the calendar (G16). */
export function deadlineChanges(db: Db) {
  const deadlines = deadlineEntity(db)
  const { findAll } = deadlineRecords(db)
  const log = changeLog<Seen>(db, 'deadlines')
  const withDeletion = showDeletion(db)

  return {
    /** The action that notes a change of a deadline. */
    add: (before: DeadlineRecord | undefined, after: DeadlineRecord & { changed_at: string }): Action[] =>
      log.add(after.workspace_id, after.id, after.changed_at, {
        was: before && seenOf(before),
        is: seenOf(after),
      }),

    /** The actions that note that others in the chain of a deadline have changed, which its answer names. */
    touch: (workspaceId: string, ids: string[]): Action[] =>
      ids.flatMap((id) => {
        const changed_at = changeTime(undefined)
        return [
          change(deadlines.patch({ workspace_id: workspaceId, id }).set({ changed_at })),
          ...log.add(workspaceId, id, changed_at, {}),
        ]
      }),

    /**
     * The changes in a time, as a list with this query shows them.
     *
     * @param fromIsNow `from` is the current time: deadlines that were due after `since` may have been in the list
     */
    source(
      workspaceId: string,
      query: DueQuery,
      range: { since: string; until: string },
      fromIsNow: boolean,
    ): Source<Change<DeadlineRecord>> {
      const left = fromIsNow ? { ...query, from: range.since } : query
      return log.source<DeadlineRecord>(workspaceId, range, {
        read: async (ids) => {
          const records = await findAll(workspaceId, ids)
          return (await withDeletion(workspaceId, records)).map(
            (record): Current<DeadlineRecord, Seen> => ({
              id: record.id,
              record,
              changed_at: record.changed_at,
              fits: isFound(seenOf(record), query),
            }),
          )
        },
        mayHaveLeft: (was, is) => isFound(was, left) && (is === undefined || !isFound(is, query)),
      })
    },
  }
}

/** The state of a deadline as far as it does not depend on the current time. */
export function stateOf(record: Omit<DeadlineRecord, 'basis'>): DeadlineState {
  if (record.struck_at !== null) return 'struck'
  if (record.completed_at !== null) return 'completed'
  return record.verified_by === null ? 'open' : 'verified'
}

/** The states of deadlines that were not struck. */
export const unstruck = deadlineStates.filter((state) => state !== 'struck')

function seenOf(record: DeadlineRecord): Seen {
  const { case_id, assigned_to, due_at } = record
  return { case_id, assigned_to, due_at, state: stateOf(record) }
}

function isFound(
  { case_id, assigned_to, due_at, state }: Seen,
  { states, from, until, ...wanted }: DueQuery,
): boolean {
  return (
    states.includes(state) &&
    (wanted.case_id === undefined || wanted.case_id === case_id) &&
    (wanted.assigned_to === undefined || wanted.assigned_to === assigned_to) &&
    (from === undefined || due_at >= from) &&
    (until === undefined || due_at < until)
  )
}
