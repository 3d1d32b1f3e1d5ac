import type { CalendarDeadline, Interval } from '#calendar/ports.ts'
import { QueryCommand } from '#sdk/lib-dynamodb'
import type { Db } from './db.ts'
import { termOf } from './deadline-store.ts'
import { dueEntry } from './entities/due-entry.ts'
import { lazily } from './lazily.ts'

const states = ['open', 'verified', 'completed'] as const
const fields = [
  'id',
  'title',
  'case_id',
  'due_at',
  'assigned_to',
  'created_by',
  'created_at',
  'updated_at',
  'completed_at',
  'version',
] as const satisfies (keyof CalendarDeadline)[]

/**
 * What the calendar shows of many deadlines, from the lists by due time. A feed reads thousands: half of the work
 * is to take in what it does not show, so the table gives it these fields alone.
 */
export function deadlineCards(db: Db) {
  const due = lazily(() => dueEntry(db))

  const readState = async (
    workspaceId: string,
    term: string,
    { start, end }: Interval,
    most: number,
  ): Promise<CalendarDeadline[]> => {
    const { ExpressionAttributeNames, ...query } = due.query
      .soonest({ workspace_id: workspaceId, term })
      .between({ place: start }, { place: end })
      .params<ConstructorParameters<typeof QueryCommand>[0]>()
    const names = Object.fromEntries(fields.map((field) => [`#card_${field}`, field]))
    const found: CalendarDeadline[] = []
    for (let ExclusiveStartKey: Record<string, unknown> | undefined; ; ) {
      const { Items = [], LastEvaluatedKey } = await db.client.send(
        new QueryCommand({
          ...query,
          ConsistentRead: true,
          Limit: most - found.length,
          ProjectionExpression: fields.map((field) => `#card.#card_${field}`).join(', '),
          ExpressionAttributeNames: { ...ExpressionAttributeNames, '#card': 'd', ...names },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      )
      for (const { d } of Items) found.push({ completed_at: null, ...(d as Card) })
      if (LastEvaluatedKey === undefined || found.length >= most) return found
      ExclusiveStartKey = LastEvaluatedKey
    }
  }

  return {
    /** The deadlines of a user that are due in a range and not struck, each once, unordered; at most `most` of each state. */
    ofUser: async (
      workspaceId: string,
      userId: string,
      range: Interval,
      most: number,
    ): Promise<CalendarDeadline[]> => {
      const found = new Map<string, CalendarDeadline>()
      // In the order in which deadlines go through them: what changes its state meanwhile is met twice, never missed.
      for (const state of states) {
        for (const card of await readState(workspaceId, termOf(state, undefined, userId), range, most))
          found.set(card.id, card)
      }
      return [...found.values()]
    },
  }
}

type Card = Omit<CalendarDeadline, 'completed_at'> & { completed_at?: string }
