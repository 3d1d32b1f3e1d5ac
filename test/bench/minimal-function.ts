import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'

/**
 * The least that a function of this service could be: the document client, and the two reads that answering
 * for a case takes. What the others' cold starts are measured against.
 */
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))

export async function handler({ keys }: { keys: Record<string, string>[] }) {
  const items = []
  for (const Key of keys)
    items.push(
      (await client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key, ConsistentRead: true })))
        .Item,
    )
  return { statusCode: items.includes(undefined) ? 404 : 200, body: JSON.stringify(items.at(-1)) }
}
