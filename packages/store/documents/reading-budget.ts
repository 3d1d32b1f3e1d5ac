import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '#kernel/clock.ts'
import { type Db, unlessRefused } from '../db.ts'

/** How long reading the attachments of one mail may take together, beside the moments that each has for itself. */
export const mailMilliseconds = 60_000

/** Documents are read within minutes; DynamoDB may remove the item this long after the last of them. */
const keptSeconds = 7 * 24 * 60 * 60

/**
 * The time that the attachments of a mail, or of a beA message, share for being read. An item for each such message holds
 * the milliseconds that are taken; one whose attachments are read at once has none. The workers that read them take time
 * in conditional updates, so that all together they take no more.
 */
export function readingBudgets({ db, clock }: { db: Db; clock: Clock }) {
  const item = (workspaceId: string, correspondenceId: string) => ({
    TableName: db.table,
    Key: { pk: `${workspaceId}#reading_budget`, sk: correspondenceId },
  })

  return {
    /** Gives the attachments of a message their whole time again. */
    async renew(workspaceId: string, correspondenceId: string): Promise<void> {
      await db.client.send(new DeleteCommand(item(workspaceId, correspondenceId)))
    },

    /** The budget of one message of a firm. */
    of: (workspaceId: string, correspondenceId: string) => ({
      /** Takes this time from the budget. @returns false, and takes nothing, if less is left */
      async take(milliseconds: number): Promise<boolean> {
        const command = new UpdateCommand({
          ...item(workspaceId, correspondenceId),
          UpdateExpression: 'SET #ttl = :ttl ADD #taken :more',
          ConditionExpression: 'attribute_not_exists(#taken) OR #taken <= :latest',
          ExpressionAttributeNames: { '#ttl': 'ttl', '#taken': 'taken_milliseconds' },
          ExpressionAttributeValues: {
            ':ttl': Math.floor(clock.now().getTime() / 1_000) + keptSeconds,
            ':more': milliseconds,
            ':latest': mailMilliseconds - milliseconds,
          },
        })
        return (await db.client.send(command).catch(unlessRefused)) !== undefined
      },
    }),
  }
}
