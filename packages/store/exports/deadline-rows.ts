import type { DeadlineRecord, DeadlineState, ListedDeadline } from '#deadlines/ports.ts'
import type { RowSource, SourceQuery } from '#exports/ports.ts'
import type { Db } from '../db.ts'
import { dueLists, placeOf } from '../deadlines/due-lists.ts'
import { momentRange } from './date-ranges.ts'
import { givenIds } from './given-ids.ts'
import { type CaseTitle, joinedNames, noLookup } from './joined-names.ts'

/** The status of a deadline at a moment (F4). */
export type DeadlineStatusOf = (
  record: Pick<DeadlineRecord, 'due_at' | 'completed_at' | 'verified_by'>,
  at: Date,
) => string

/** The first batch is small, so that a preview is cheap. */
const batchSizes = { first: 50, later: 200 } as const

/** Deadlines in the order of their due times, but struck ones. */
export function deadlineRows(db: Db, statusOf: DeadlineStatusOf): RowSource {
  const lists = dueLists(db)

  /** Deadlines in order. One whose due time moved past the place that was read is given once. */
  async function* inOrder(query: SourceQuery): AsyncGenerator<ListedDeadline[]> {
    const wanted = { ...statesAndTimes(query), case_id: query.filters.case_id }
    const given = givenIds()
    let after: string | undefined
    for (let limit: number = batchSizes.first; ; limit = batchSizes.later) {
      const records = await lists.due(query.workspace_id, wanted, { after, limit })
      const last = records.at(-1)
      if (last === undefined) return
      yield records.filter(({ id }) => given.add(id))
      after = placeOf(last)
    }
  }

  return async function* (query) {
    const { workspace_id, fields, now } = query
    const names = joinedNames(db, workspace_id)
    const hasTitle = fields.has('file_number') || fields.has('case_name')
    const titlesOf = hasTitle ? names.cases : noLookup<CaseTitle>()
    const usersOf = fields.has('assigned_to_name') ? names.users : noLookup<string>()
    for await (const records of inOrder(query)) {
      const [titles, users] = await Promise.all([
        titlesOf(records.map(({ case_id }) => case_id)),
        usersOf(records.map(({ assigned_to }) => assigned_to)),
      ])
      yield records.map((one) => ({
        title: one.title,
        frist_type: one.frist_type,
        due_at: one.due_at,
        status: statusOf(one, now),
        case_id: one.case_id,
        file_number: titles.get(one.case_id)?.file_number ?? null,
        case_name: titles.get(one.case_id)?.name ?? null,
        assigned_to: one.assigned_to,
        assigned_to_name: users.get(one.assigned_to) ?? null,
        verified_by: one.verified_by,
        verified_at: one.verified_at,
        completed_by: one.completed_by,
        completed_at: one.completed_at,
        id: one.id,
        created_at: one.created_at,
      }))
    }
  }
}

/** The recorded states and due times of a status, which also depends on the present moment (F4). */
function statesAndTimes(query: SourceQuery): {
  states: DeadlineState[]
  from?: string | undefined
  until?: string | undefined
} {
  const { from, until } = momentRange(query)
  const now = query.now.toISOString()
  switch (query.filters.status) {
    case undefined:
      return { states: ['open', 'verified', 'completed'], from, until }
    case 'pending':
      return { states: ['open'], from: from === undefined || from < now ? now : from, until }
    case 'expired':
      return { states: ['open'], from, until: until === undefined || until > now ? now : until }
    case 'verified':
      return { states: ['verified'], from, until }
    case 'completed':
      return { states: ['completed'], from, until }
    default:
      return { states: [] }
  }
}
