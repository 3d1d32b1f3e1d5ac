import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'

/**
 * The smallest possible function of this service: the document client and the calls of a request. The cold starts of
 * other functions are compared with it.
 */
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))
const commands = {
  BatchGetCommand,
  BatchWriteCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
}

export async function handler({ calls }: { calls: { name: string; input: object }[] }) {
  const answers: object[] = []
  for (const { name, input } of calls) {
    const Command = commands[name as 'GetCommand']
    answers.push(await client.send(new Command(input as ConstructorParameters<typeof Command>[0])))
  }
  return { statusCode: 200, body: JSON.stringify(answers.at(-1)) }
}
