import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { CalendarDeadline, Interval } from '#calendar/ports.ts'
import type { Db } from './db.ts'
import { termOf } from './deadline-store.ts'
import { dueEntry } from './entities/due-entry.ts'
import { lazily } from './lazily.ts'

const states = ['open', 'verified', 'completed'] as const

/**
 * What the calendar shows of many deadlines, from the lists by due time. A feed reads thousands, so the table gives
 * it the text of each alone, without the attributes that it is filed by.
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
    const found: CalendarDeadline[] = []
    for (let ExclusiveStartKey: Record<string, unknown> | undefined; ; ) {
      const { Items = [], LastEvaluatedKey } = await db.client.send(
        new QueryCommand({
          ...query,
          ConsistentRead: true,
          Limit: most - found.length,
          ProjectionExpression: '#text',
          ExpressionAttributeNames: { ...ExpressionAttributeNames, '#text': 'd' },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      )
      for (const { d } of Items) found.push(cardOf(d))
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

/** Written by `deadline-store.ts`: what is null is not in it. */
function cardOf(text: string): CalendarDeadline {
  const card = JSON.parse(text)
  card.completed_at ??= null
  return card
}
