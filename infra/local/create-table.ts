import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  PutItemCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { layoutKey, stageName, table, tableLayout } from '#store/table.ts'
import { CannotStart } from './cannot-start.ts'

/**
 * Creates the table of `packages/store/table.ts` if it is missing. `fresh` empties it. A new table has the newest layout.
 *
 * @param options.mustExist true if an earlier run left data: a missing table is then an error
 * @returns whether the table is new, and therefore empty
 * @throws CannotStart if DynamoDB does not answer, or if the table must exist and does not
 */
export async function createTable(
  name: string,
  { fresh = false, mustExist = false }: { fresh?: boolean; mustExist?: boolean } = {},
): Promise<boolean> {
  const client = new DynamoDBClient({ maxAttempts: 3 })
  try {
    if (mustExist) await requireTable(client, name)
    if (fresh) await deleteTable(client, name)
    const isNew = await create(client, name)
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: name })
    await enableTimeToLive(client, name)
    if (isNew) await markLayout(client, name)
    return isNew
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart(
      `DynamoDB at ${awsEndpoint('DYNAMODB')} did not create the table: ${String(error)}`,
      error,
    )
  } finally {
    client.destroy()
  }
}

async function requireTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new DescribeTableCommand({ TableName: name }))
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
    throw new CannotStart(
      `The data is damaged: the database has no table ${name}. Restore its file, or delete the data and start with new data: npm start -- --fresh`,
      error,
    )
  }
}

async function create(client: DynamoDBClient, name: string): Promise<boolean> {
  const { partitionKey, sortKey } = table
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: partitionKey, AttributeType: 'S' },
          { AttributeName: sortKey, AttributeType: 'S' },
        ],
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ResourceInUseException) return false
    throw error
  }
}

async function markLayout(client: DynamoDBClient, name: string): Promise<void> {
  const [pk, sk] = [{ S: layoutKey.pk }, { S: layoutKey.sk }]
  const Item = { pk, sk, layout: { N: String(tableLayout) }, stage: { S: stageName() } }
  await client.send(new PutItemCommand({ TableName: name, Item }))
}

async function deleteTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: name }))
    await waitUntilTableNotExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: name })
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
  }
}

async function enableTimeToLive(client: DynamoDBClient, name: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }))
  const status = TimeToLiveDescription?.TimeToLiveStatus
  if (status === 'ENABLED' || status === 'ENABLING') return
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: table.timeToLive, Enabled: true },
    }),
  )
}
