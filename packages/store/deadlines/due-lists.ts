import type { CalendarDeadline, Interval } from '#calendar/ports.ts'
import {
  type DeadlineRecord,
  type DeadlineState,
  type DueQuery,
  deadlineStates,
  type ListedDeadline,
} from '#deadlines/ports.ts'
import type { Db } from '../db.ts'
import { type WithoutNulls, withoutNulls } from '../nulls.ts'
import { type Entry, filedList, type Range } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { deadlineChanges, stateOf } from './deadline-changes.ts'
import { listedDeadlineOf } from './deadline-record.ts'

/** The data of an entry: the record without its basis, since a feed reads thousands. */
type Data = Omit<WithoutNulls<ListedDeadline>, 'workspace_id'>

/** The states that a calendar shows. */
const calendarStates = ['open', 'verified', 'completed'] as const

/**
 * The lists of deadlines by due time. A deadline is filed under its state, alone and combined with its case and its
 * assignee, so every filter is a range of one term.
 *
 * A list of several states reads one state after the other, in the order in which deadlines go through them, and then
 * back. For a new due time makes a verified deadline open again, and a completed one may be reopened. A deadline that
 * changes its state once during the read is found. Only one that changes to and fro can be missed by this read.
 */
export function dueLists(db: Db) {
  const list = filedList(db, 'due', 'ascending', entriesOf)
  const unchecked = filedList(db, 'exit_controls', 'ascending', uncheckedOf)
  const changes = deadlineChanges(db)

  const readState = async (
    workspaceId: string,
    term: string,
    range: Range & { after?: string | undefined },
    limit: number,
  ): Promise<ListedDeadline[]> => {
    const { entries } = await list.read(workspaceId, term, range, limit)
    return entries.map(({ data }) => listedDeadlineOf({ workspace_id: workspaceId, ...data }))
  }

  return {
    /** The actions that bring the lists from `before` to `after`, and note the change for who asks for changes. */
    changes(before: DeadlineRecord | undefined, after: DeadlineRecord & { changed_at: string }): Action[] {
      return [
        ...changes.add(before, after),
        ...list.changes(before, after),
        ...unchecked.changes(before, after),
      ]
    },

    /** The actions that remove every entry of a deadline. */
    removal: (record: DeadlineRecord): Action[] => [...list.changes(record), ...unchecked.changes(record)],

    /** Haupt- and Nachfristen completed in a range that lack their exit control, by the time of completion (F16). */
    async withoutExitControl(
      workspaceId: string,
      { from = earliest, until }: { from?: string; until: string },
      limit = maxUnchecked,
    ): Promise<ListedDeadline[]> {
      const { entries } = await unchecked.read(workspaceId, uncheckedTerm, { from, until }, limit)
      return entries.map(({ data }) => listedDeadlineOf({ workspace_id: workspaceId, ...data }))
    },

    /** The first `limit` deadlines after a place; fewer only if there are no more. At most two bounded reads per state. */
    async due(
      workspaceId: string,
      { states, case_id, assigned_to, from = earliest, until = latest }: DueQuery,
      { after, limit }: { after?: string | undefined; limit: number },
    ): Promise<ListedDeadline[]> {
      let found: ListedDeadline[] = []
      for (const state of readingOrder(states)) {
        const term = state === 'struck' ? state : termOf(state, case_id, assigned_to)
        // If there are enough already, only deadlines before the last of them matter.
        const last = found[limit - 1]
        const range = { from, until: last === undefined ? until : placeOf(last), after }
        const more = await readState(workspaceId, term, range, limit)
        const readAgain = new Set(more.map(({ id }) => id))
        found = [...found.filter(({ id }) => !readAgain.has(id)), ...more].toSorted(byPlace).slice(0, limit)
      }
      return found
    },

    /** The deadlines of a user that are due in a range and not struck, each once, unordered; at most `limit` per state. */
    async ofUser(
      workspaceId: string,
      userId: string,
      { start, end }: Interval,
      limit: number,
    ): Promise<CalendarDeadline[]> {
      const found = new Map<string, CalendarDeadline>()
      for (const state of readingOrder(calendarStates)) {
        const term = termOf(state, undefined, userId)
        for (const record of await readState(workspaceId, term, { from: start, until: end }, limit))
          found.set(record.id, record)
      }
      return [...found.values()]
    },
  }
}

/** The order in which states are read: there, and back from the last one that is not final. */
function readingOrder(states: readonly DeadlineState[]): DeadlineState[] {
  const wanted = deadlineStates.filter((state) => states.includes(state))
  const back = wanted.filter((state) => state !== 'struck').slice(0, -1)
  return [...wanted, ...back.toReversed()]
}

/** Sort before and after every time that a deadline can have. */
const earliest = '0'
const latest = '9999~'

/** The place of a deadline in every list: by due time, then by age. */
export function placeOf({ due_at, id }: Pick<DeadlineRecord, 'due_at' | 'id'>): string {
  return `${due_at}#${id}`
}

function byPlace(one: ListedDeadline, other: ListedDeadline): number {
  return placeOf(one) < placeOf(other) ? -1 : 1
}

function entriesOf(record: DeadlineRecord): Entry<Data>[] {
  const { case_id, assigned_to } = record
  const state = stateOf(record)
  const terms =
    state === 'struck'
      ? [state]
      : [
          termOf(state),
          termOf(state, case_id),
          termOf(state, undefined, assigned_to),
          termOf(state, case_id, assigned_to),
        ]
  return terms.map((term) => ({ term, place: placeOf(record), data: dataOf(record) }))
}

/** The entry of a completed deadline whose outgoing post nobody has checked. A Vorfrist asks for none to go out. */
function uncheckedOf(record: DeadlineRecord): Entry<Data>[] {
  const { id, frist_type, completed_at, exit_control, struck_at } = record
  if (completed_at === null || exit_control !== null || struck_at !== null || frist_type === 'vorfrist')
    return []
  return [{ term: uncheckedTerm, place: `${completed_at}#${id}`, data: dataOf(record) }]
}

const uncheckedTerm = 'missing'

/** More than any firm completes in a month: the Query needs a bound. */
const maxUnchecked = 100_000

function dataOf(record: DeadlineRecord): Data {
  const { workspace_id: _, changed_at: __, basis, ...data } = record
  return withoutNulls({ ...data, has_basis: basis !== null })
}

/** `open`, `open case=<uuid>`, `verified user=<id>`, `completed case=<uuid> user=<id>`. */
function termOf(state: DeadlineState, caseId?: string, userId?: string): string {
  return [state, ...(caseId ? [`case=${caseId}`] : []), ...(userId ? [`user=${userId}`] : [])].join(' ')
}
