import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { epochMilliseconds } from '#kernel/clock.ts'
import { type Db, isRefused } from '../db.ts'
import { layoutKey } from '../table.ts'

/** Somebody else upgrades the table. */
export class UpgradeRuns extends Error {
  constructor() {
    super('Another upgrade of this table is running. If it was killed, try again in half a minute.')
    this.name = 'UpgradeRuns'
  }
}

/** It is renewed several times before it lapses. */
const leaseMilliseconds = 15_000
const renewMilliseconds = 3_000

const key = { pk: layoutKey.pk, sk: 'lease' }

/**
 * The right to upgrade a table, for one process at a time. It lapses some seconds after its process died. Without it nothing
 * would be lost, since all that upgrades do may be done twice.
 *
 * @throws UpgradeRuns if another process has it
 */
export async function takeLease({ client, table }: Db, holder: string) {
  const hold = async () => {
    const now = epochMilliseconds()
    const update = new UpdateCommand({
      TableName: table,
      Key: key,
      UpdateExpression: 'SET holder = :holder, held_until = :until',
      ConditionExpression: 'attribute_not_exists(holder) OR holder = :holder OR held_until < :now',
      ExpressionAttributeValues: { ':holder': holder, ':until': now + leaseMilliseconds, ':now': now },
    })
    await client.send(update)
  }
  let lost: unknown
  await hold().catch((error: unknown) => {
    throw isRefused(error) ? new UpgradeRuns() : error
  })
  const renewing = setInterval(() => {
    hold().catch((error: unknown) => {
      if (isRefused(error)) lost = new UpgradeRuns()
    })
  }, renewMilliseconds).unref()
  return {
    /** Call it before each piece of work. @throws UpgradeRuns if another process took the lease */
    check: (): void => {
      if (lost !== undefined) throw lost
    },
    release: async (): Promise<void> => {
      clearInterval(renewing)
      const remove = new DeleteCommand({
        TableName: table,
        Key: key,
        ConditionExpression: 'holder = :holder',
        ExpressionAttributeValues: { ':holder': holder },
      })
      await client.send(remove).catch((error: unknown) => {
        if (!isRefused(error)) throw error
      })
    },
  }
}
