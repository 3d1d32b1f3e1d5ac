import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { AllowanceStore } from '#workspace/ports.ts'
import { type Db, isRefused } from '../db.ts'

/** Whole microseconds, so that sums are exact. */
const microsecondsPerSecond = 1_000_000

/** How far the clocks of two instances may differ. A later `full_at` was written before a clock was set back. */
const skewMicroseconds = 1 * microsecondsPerSecond

const [maxAttempts, dayInSeconds] = [5, 86_400]

/**
 * The allowances in the table, as the generic cell rate algorithm counts: an item holds only the time at which its
 * bucket is full again (`full_at`, epoch microseconds). A take moves it in one conditional update. If the condition
 * fails, the database returns the current value for the next update. DynamoDB removes the item a day later (`ttl`): an
 * allowance that nobody uses is full.
 *
 * The updates are made without ElectroDB: the first request of every new instance waits for them.
 */
export function allowanceStore(db: Db): AllowanceStore {
  /** The value that an instance saw last, for the first attempt of its next take. */
  const seen = new Map<string, number>()

  const move = async (
    { workspace_id, holder }: { workspace_id: string; holder: string },
    by: { add: number; latest: number } | { to: number; seen: number | undefined },
    now: number,
  ): Promise<{ moved: number } | { stands: number | undefined }> => {
    const command = new UpdateCommand({
      TableName: db.table,
      Key: { pk: `${workspace_id}#allowance`, sk: holder },
      ...moveOf(by, now),
      ReturnValues: 'UPDATED_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    try {
      const { Attributes } = await db.client.send(command)
      return { moved: Number(Attributes?.full_at) }
    } catch (error) {
      if (!isRefused(error)) throw error
      const { Item } = error as { Item?: { full_at?: { N?: string } } }
      return { stands: Item?.full_at?.N === undefined ? undefined : Number(Item.full_at.N) }
    }
  }

  return {
    take: async (holder, wanted, rate, nowMilliseconds) => {
      const now = Math.round(nowMilliseconds * 1_000)
      const interval = Math.round(microsecondsPerSecond / rate.perSecond)
      const capacity = rate.burst * interval
      const name = `${holder.workspace_id} ${holder.holder}`
      let fullAt = seen.get(name)
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const isSetBack = fullAt !== undefined && fullAt > now + capacity + skewMicroseconds
        const isFull = fullAt === undefined || fullAt <= now || isSetBack
        const from = isFull ? now : (fullAt ?? now)
        const free = Math.floor((now + capacity - from) / interval)
        // The value that this instance saw may be old: only the database knows that nothing is free.
        const granted = Math.min(wanted, attempt === 1 ? Math.max(1, free) : free)
        if (granted < 1)
          return { granted: 0, remaining: 0, nextAt: Math.ceil((from + interval - capacity) / 1_000) }
        const add = granted * interval
        const answer = await move(
          holder,
          isFull
            ? { to: now + add, seen: isSetBack ? fullAt : undefined }
            : { add, latest: now + capacity - add },
          now,
        )
        if ('moved' in answer) {
          remember(seen, name, answer.moved)
          const remaining = Math.max(0, Math.floor((now + capacity - answer.moved) / interval))
          return { granted, remaining, nextAt: nowMilliseconds }
        }
        fullAt = answer.stands
        remember(seen, name, fullAt)
      }
      // Others take at the same moment, again and again: ask again soon.
      return { granted: 0, remaining: 0, nextAt: nowMilliseconds }
    },
  }
}

/** The update of an item, and the condition that it stands where it was expected. */
function moveOf(by: { add: number; latest: number } | { to: number; seen: number | undefined }, now: number) {
  const ExpressionAttributeNames = { '#full_at': 'full_at', '#ttl': 'ttl' }
  const ttl = Math.floor(now / microsecondsPerSecond) + dayInSeconds
  if ('add' in by)
    return {
      UpdateExpression: 'SET #ttl = :ttl ADD #full_at :add',
      ConditionExpression: '#full_at > :now AND #full_at <= :latest',
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ':ttl': ttl, ':add': by.add, ':now': now, ':latest': by.latest },
    }
  return {
    UpdateExpression: 'SET #ttl = :ttl, #full_at = :to',
    ConditionExpression:
      by.seen === undefined ? 'attribute_not_exists(#full_at) OR #full_at <= :seen' : '#full_at = :seen',
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ':ttl': ttl, ':to': by.to, ':seen': by.seen ?? now },
  }
}

const maxSeen = 2_000

function remember(seen: Map<string, number>, name: string, fullAt: number | undefined): void {
  seen.delete(name)
  if (fullAt !== undefined) seen.set(name, fullAt)
  if (seen.size > maxSeen) seen.delete(seen.keys().next().value ?? name)
}
