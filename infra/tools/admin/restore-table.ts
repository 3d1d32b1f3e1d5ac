import { setTimeout as sleep } from 'node:timers/promises'
import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TableInUseException,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { table as shape } from '#store/table.ts'
import { Misuse } from './target.ts'

type Restored = { table: string; restored_to: string; items: number }

/**
 * Restores a table into a new one, as it was at a second of the last 35 days, with the same key. It also sets what
 * DynamoDB does not restore: the new table's own restore to a second, the removal of expired items, and protection
 * from deletion. The old table does not change. If it is interrupted, run it again: a new table that exists is not
 * created again.
 *
 * @throws Misuse for a time that cannot be restored, and for a name that is not valid for a table, or belongs to a table
 *   with other contents
 */
export async function restoreTable(
  { from, to, at }: { from: string; to: string; at: Date },
  {
    client = new DynamoDBClient({}),
    pauseMilliseconds = 10_000,
  }: { client?: Pick<DynamoDBClient, 'send'>; pauseMilliseconds?: number } = {},
): Promise<Restored> {
  if (!/^[\w.-]{3,255}$/.test(to) || to === from)
    throw new Misuse('--name is the name of the new table: 3 to 255 letters, digits, dots, dashes.')
  const source = await describe(client, from)
  await requireRestorable(client, from, at)
  const isThere = await client
    .send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: from,
        TargetTableName: to,
        RestoreDateTime: at,
        BillingModeOverride: 'PAY_PER_REQUEST',
        // Without it, the new table would use a key of AWS, and its copies could not leave the account.
        SSESpecificationOverride: {
          Enabled: true,
          SSEType: 'KMS',
          KMSMasterKeyId: source.SSEDescription?.KMSMasterKeyArn,
        },
      }),
    )
    .then(() => false, isAlreadyThere)
  let restored = await describe(client, to)
  if (isThere && !isRestoreOf(restored, source, at))
    throw new Misuse(
      `The table ${to} exists, and is not ${from} as it was at ${at.toISOString()}: choose another --name. Nothing was changed.`,
    )
  while (restored.TableStatus !== 'ACTIVE') {
    await sleep(pauseMilliseconds)
    restored = await describe(client, to)
  }
  while (!(await enableRestore(client, to))) await sleep(pauseMilliseconds)
  await client
    .send(
      new UpdateTimeToLiveCommand({
        TableName: to,
        TimeToLiveSpecification: { AttributeName: shape.timeToLive, Enabled: true },
      }),
    )
    .catch(unlessEnabled)
  await client.send(new UpdateTableCommand({ TableName: to, DeletionProtectionEnabled: true }))
  return { table: to, restored_to: at.toISOString(), items: restored.ItemCount ?? 0 }
}

async function describe(client: Pick<DynamoDBClient, 'send'>, name: string): Promise<TableDescription> {
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName: name }))
  return Table
}

/** Enables the restore of a new table to a second. @returns false while DynamoDB still prepares its backups */
function enableRestore(client: Pick<DynamoDBClient, 'send'>, name: string): Promise<boolean> {
  const enabled = client.send(
    new UpdateContinuousBackupsCommand({
      TableName: name,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  )
  return enabled.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ContinuousBackupsUnavailableException) return false
      throw error
    },
  )
}

async function requireRestorable(
  client: Pick<DynamoDBClient, 'send'>,
  name: string,
  at: Date,
): Promise<void> {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: name }),
  )
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {}
  if (earliest === undefined || latest === undefined)
    throw new Misuse(`The table ${name} has no restore to a second.`)
  if (at < earliest || at > latest)
    throw new Misuse(
      `The table ${name} can be restored as it was from ${earliest.toISOString()} to ${latest.toISOString()}.`,
    )
}

/** Whether a table of this name exists: an earlier run may have begun to restore it. */
function isAlreadyThere(error: unknown): true {
  const isThere =
    error instanceof TableInUseException ||
    (error instanceof Error && error.name === 'TableAlreadyExistsException')
  if (!isThere) throw error
  return true
}

/** Whether a table was, or is being, restored from another one to this second. */
function isRestoreOf(
  { RestoreSummary }: TableDescription,
  { TableArn }: TableDescription,
  at: Date,
): boolean {
  const { SourceTableArn, RestoreDateTime } = RestoreSummary ?? {}
  const secondOf = (date: Date) => Math.floor(date.getTime() / 1_000)
  return (
    TableArn !== undefined &&
    SourceTableArn === TableArn &&
    RestoreDateTime !== undefined &&
    secondOf(RestoreDateTime) === secondOf(at)
  )
}

/** DynamoDB answers with this error if the setting is already enabled. */
function unlessEnabled(error: unknown): void {
  if (
    !(error instanceof Error && error.name === 'ValidationException' && /already enabled/.test(error.message))
  )
    throw error
}
