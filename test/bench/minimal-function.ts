import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'

/**
 * The least that a function of this service could be: the document client, and the reads that answering a request
 * takes. What the others' cold starts are measured against.
 */
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))
const commands = { BatchGetCommand, GetCommand, QueryCommand }

export async function handler({ reads }: { reads: { name: string; input: object }[] }) {
  const answers: object[] = []
  for (const { name, input } of reads) {
    const Command = commands[name as 'GetCommand']
    answers.push(await client.send(new Command(input as ConstructorParameters<typeof Command>[0])))
  }
  return { statusCode: 200, body: JSON.stringify(answers.at(-1)) }
}
