import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { bookkeeping } from '#kernel/changes.ts'
import { type Claim, type KeptAnswer, type KeyedRequest, KeyHasAnswer } from '#kernel/idempotency.ts'
import { claimKey, claimNote, claimPuts, readClaim } from './claim-item.ts'
import type { Db } from './db.ts'
import { allItemsOf } from './pages-of.ts'
import { transact } from './transact.ts'

/** The answers to requests with an Idempotency-Key, which the table keeps for 24 hours (G14). */
export function firstAnswers(db: Db) {
  return {
    /** Notes a request, so that an erasure can find its answer: each claim has its own partition. */
    async note(request: Omit<KeyedRequest, 'content'>): Promise<void> {
      const put = new PutCommand({ TableName: db.table, Item: claimNote(request) })
      await bookkeeping(() => db.client.send(put))
    },

    /** The answer to the first request with a user's key, and the digest of that request. */
    async find(
      request: Omit<KeyedRequest, 'content'>,
    ): Promise<{ content: string; answer: KeptAnswer } | undefined> {
      return readClaim(await allItemsOf(db, claimKey(request).pk))
    },

    /** Keeps the answer to a request that changed nothing, with or without its body. @throws KeyHasAnswer */
    add: (claim: Claim, { isBodyKept }: { isBodyKept: boolean }): Promise<void> =>
      bookkeeping(() =>
        transact(
          db,
          claimPuts(db, claim, { changesNothing: true, isBodyKept }).map((Put) => ({
            item: { Put },
            otherwise: () => new KeyHasAnswer(),
          })),
        ),
      ),
  }
}
