import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { beforeEach, describe, expect, it } from 'vitest'
import { restoreTable } from '#infra/tools/admin/restore-table.ts'
import { tableCommands } from '#infra/tools/admin/table.ts'
import { Misuse } from '#infra/tools/admin/target.ts'

const client = new DynamoDBClient({})
const dynamodb = mockClient(client)
const key = 'arn:aws:kms:eu-central-1:123456789012:key/k'
const oldArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/old'
const at = new Date('2026-11-22T14:03:00.000Z')
const restore = (changes: { to?: string; at?: Date } = {}) =>
  restoreTable({ from: 'old', to: 'new', at, ...changes }, { client, pauseMilliseconds: 1 })
const names = () => dynamodb.calls().map(({ args: [command] }) => command.constructor.name)

beforeEach(() => {
  dynamodb.reset()
  dynamodb.on(DescribeTableCommand, { TableName: 'old' }).resolves({
    Table: { TableStatus: 'ACTIVE', TableArn: oldArn, SSEDescription: { KMSMasterKeyArn: key } },
  })
  dynamodb
    .on(DescribeTableCommand, { TableName: 'new' })
    .resolvesOnce({ Table: { TableStatus: 'CREATING' } })
    .resolves({ Table: { TableStatus: 'ACTIVE', ItemCount: 7 } })
  dynamodb.on(DescribeContinuousBackupsCommand).resolves({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: {
        EarliestRestorableDateTime: new Date('2026-10-18T00:00:00Z'),
        LatestRestorableDateTime: new Date('2026-11-22T15:00:00Z'),
      },
    },
  })
  for (const command of [
    RestoreTableToPointInTimeCommand,
    UpdateContinuousBackupsCommand,
    UpdateTimeToLiveCommand,
    UpdateTableCommand,
  ])
    dynamodb.on(command as typeof UpdateTableCommand).resolves({})
})

describe('a table that is restored to a second', () => {
  it('is created with the same key, and then gets the settings that DynamoDB does not restore', async () => {
    const restored = await restore()

    expect(restored).toEqual({ table: 'new', restored_to: at.toISOString(), items: 7 })
    expect(dynamodb.commandCalls(RestoreTableToPointInTimeCommand)[0]?.args[0].input).toEqual({
      SourceTableName: 'old',
      TargetTableName: 'new',
      RestoreDateTime: at,
      BillingModeOverride: 'PAY_PER_REQUEST',
      SSESpecificationOverride: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
    })
    // The rest comes after the second look, at which the table is active.
    expect(names().slice(-5)).toEqual([
      'DescribeTableCommand',
      'DescribeTableCommand',
      'UpdateContinuousBackupsCommand',
      'UpdateTimeToLiveCommand',
      'UpdateTableCommand',
    ])
    expect(dynamodb.commandCalls(UpdateTimeToLiveCommand)[0]?.args[0].input).toMatchObject({
      TableName: 'new',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    })
    expect(dynamodb.commandCalls(UpdateTableCommand)[0]?.args[0].input).toEqual({
      TableName: 'new',
      DeletionProtectionEnabled: true,
    })
  })

  /** A table of this name exists. */
  const exists = (RestoreSummary?: TableDescription['RestoreSummary']) => {
    dynamodb
      .on(RestoreTableToPointInTimeCommand)
      .rejects(Object.assign(new Error('Exists.'), { name: 'TableAlreadyExistsException' }))
    dynamodb
      .on(DescribeTableCommand, { TableName: 'new' })
      .resolves({ Table: { TableStatus: 'ACTIVE', RestoreSummary } })
  }

  it('is not created again if an interrupted run has begun it', async () => {
    exists({ SourceTableArn: oldArn, RestoreDateTime: at, RestoreInProgress: true })
    dynamodb
      .on(UpdateTimeToLiveCommand)
      .rejects(Object.assign(new Error('TimeToLive is already enabled'), { name: 'ValidationException' }))

    await expect(restore()).resolves.toMatchObject({ table: 'new' })
    expect(dynamodb.commandCalls(UpdateTableCommand)).toHaveLength(1)
  })

  it('gets all settings, even if DynamoDB still prepares its backups when it is active', async () => {
    const message = 'Backups are being enabled for the table: new. Please retry later'
    dynamodb
      .on(UpdateContinuousBackupsCommand)
      .rejectsOnce(new ContinuousBackupsUnavailableException({ message, $metadata: {} }))
      .resolves({})

    await restore()

    expect(dynamodb.commandCalls(UpdateContinuousBackupsCommand)).toHaveLength(2)
    expect(dynamodb.commandCalls(UpdateTableCommand)).toHaveLength(1)
  })

  it.each([
    [
      'the same table at another second',
      { SourceTableArn: oldArn, RestoreDateTime: new Date(at.getTime() + 780_000), RestoreInProgress: false },
    ],
    ['another table', { SourceTableArn: `${oldArn}er`, RestoreDateTime: at, RestoreInProgress: false }],
    ['no restored table', undefined],
  ])('is refused if its name belongs to %s, which stays as it is', async (_, summary) => {
    exists(summary)

    await expect(restore()).rejects.toThrow(
      /The table new exists, and is not old as it was at 2026-11-22T14:03/,
    )
    expect(dynamodb.commandCalls(UpdateTimeToLiveCommand)).toEqual([])
    expect(dynamodb.commandCalls(UpdateTableCommand)).toEqual([])
  })

  it.each([
    ['a time before the first that is kept', { at: new Date('2026-10-01T00:00:00Z') }],
    ['a time to come', { at: new Date('2026-11-22T15:00:01Z') }],
    ['a name that is no table’s', { to: 'new table' }],
    ['its own name', { to: 'old' }],
  ])('is refused for %s, and nothing is restored', async (_, changes) => {
    await expect(restore(changes)).rejects.toThrow(Misuse)
    expect(dynamodb.commandCalls(RestoreTableToPointInTimeCommand)).toEqual([])
  })

  it('is refused if nothing can be restored, and for other errors of DynamoDB', async () => {
    dynamodb.on(RestoreTableToPointInTimeCommand).rejects(new Error('LimitExceeded'))
    await expect(restore()).rejects.toThrow('LimitExceeded')

    dynamodb.on(DescribeContinuousBackupsCommand).resolves({})
    await expect(restore()).rejects.toThrow(Misuse)
  })
})

describe('npm run admin -- table', () => {
  const two = { from: 'a', to: 'b' }

  it('compares and copies kinds that blanks separate', async () => {
    const filters: unknown[] = []
    const note = async (filter: unknown) => void filters.push(filter)
    const admin = {
      table: 'c',
      twoTables: () => ({ compare: note, copy: note }),
      upgrades: () => ({ layout: async () => 20 }),
    } as never
    const options = { ...two, kinds: 'apikey, user' }

    await tableCommands['table compare'](options)(admin)
    await tableCommands['table copy'](options)(admin)

    expect(filters).toEqual([{ kinds: ['apikey', 'user'] }, { kinds: ['apikey', 'user'] }])
  })

  it.each([
    ['restore', { at: '2026-11-22T14:03:00Z', name: 'new' }, /name a --stage/],
    ['restore', { stage: 'prod', name: 'new' }, /--at is missing/],
    ['restore', { stage: 'prod', at: 'yesterday', name: 'new' }, /a time with Z/],
    ['compare', { from: 'a' }, /--to is missing/],
    ['compare', { from: 'a', to: 'a' }, /the same table/],
    ['copy', two, /--kinds is missing/],
    ['copy', { ...two, kinds: 'case', workspace: 'firm' }, /not the id of a workspace/],
  ] as const)('%s refuses %o with a sentence', (command, options, message) => {
    const run = () => tableCommands[`table ${command}`](options)

    expect(run).toThrow(Misuse)
    expect(run).toThrow(message)
  })
})
