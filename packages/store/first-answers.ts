import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { bookkeeping } from '#kernel/changes.ts'
import { type Claim, type KeptAnswer, type KeyedRequest, KeyHasAnswer } from '#kernel/idempotency.ts'
import { claimKey, claimPuts, readClaim } from './claim-item.ts'
import type { Db } from './db.ts'
import { transact } from './transact.ts'

/** The answers to requests with an Idempotency-Key, which the table keeps for 24 hours (G14). */
export function firstAnswers(db: Db) {
  return {
    /** The answer that was given under a user's key, and the digest of the request that it was given to. */
    async find(
      request: Omit<KeyedRequest, 'content'>,
    ): Promise<{ content: string; answer: KeptAnswer } | undefined> {
      const items: Record<string, unknown>[] = []
      for (let start: Record<string, unknown> | undefined; ; ) {
        const { Items = [], LastEvaluatedKey: last } = await db.client.send(
          new QueryCommand({
            TableName: db.table,
            KeyConditionExpression: '#pk = :pk',
            ExpressionAttributeNames: { '#pk': 'pk' },
            ExpressionAttributeValues: { ':pk': claimKey(request).pk },
            ConsistentRead: true,
            ...(start && { ExclusiveStartKey: start }),
          }),
        )
        items.push(...Items)
        if (last === undefined) return readClaim(items)
        start = last
      }
    },

    /** Keeps the answer to a request that changed nothing. @throws KeyHasAnswer */
    add: (claim: Claim): Promise<void> =>
      bookkeeping(() =>
        transact(
          db,
          claimPuts(db, claim, { changesNothing: true }).map((Put) => ({
            item: { Put },
            otherwise: () => new KeyHasAnswer(),
          })),
        ),
      ),
  }
}
