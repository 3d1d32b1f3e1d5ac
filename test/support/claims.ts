import { createHash } from 'node:crypto'
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { epochMilliseconds } from '#kernel/clock.ts'
import { claimKey } from '#store/claim-item.ts'
import { sharedTable } from './table.ts'

/** The claim in the shared service's table for a request with this Idempotency-Key. */
export async function claimOf(workspace_id: string, user_id: string, idempotencyKey: string) {
  const db = await sharedTable()
  const key = createHash('sha256').update(idempotencyKey).digest().subarray(0, 16).toString('base64url')
  const Key = claimKey({ workspace_id, user_id, key })
  const { Item: item } = await db.client.send(
    new GetCommand({ TableName: db.table, Key, ConsistentRead: true }),
  )
  if (item === undefined) throw new Error('Nothing is kept under this key.')
  return {
    item,
    /** Lets it expire now; the table has not removed it yet. */
    expire: () =>
      db.client.send(
        new UpdateCommand({
          TableName: db.table,
          Key,
          UpdateExpression: 'SET #ttl = :now',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':now': Math.floor(epochMilliseconds() / 1000) },
        }),
      ),
  }
}
