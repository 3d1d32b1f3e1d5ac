import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'

/** The fields of a result that the bare servers use. */
export type Output = { Item?: Record<string, unknown> | undefined }

/** The document client of a bare server, with the defaults of the SDK. */
export const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))

/** Makes a recorded call of the table with this input. @throws Error for a command that is not listed here */
export async function repeat(name: string, input: unknown): Promise<Output> {
  switch (name) {
    case 'GetCommand':
      return client.send(new GetCommand(input as ConstructorParameters<typeof GetCommand>[0]))
    case 'QueryCommand':
      return (await client.send(
        new QueryCommand(input as ConstructorParameters<typeof QueryCommand>[0]),
      )) as Output
    case 'TransactWriteCommand':
      return (await client.send(
        new TransactWriteCommand(input as ConstructorParameters<typeof TransactWriteCommand>[0]),
      )) as Output
    case 'BatchGetCommand':
      return (await client.send(
        new BatchGetCommand(input as ConstructorParameters<typeof BatchGetCommand>[0]),
      )) as Output
    case 'BatchWriteCommand':
      return (await client.send(
        new BatchWriteCommand(input as ConstructorParameters<typeof BatchWriteCommand>[0]),
      )) as Output
    case 'UpdateCommand':
      return (await client.send(
        new UpdateCommand(input as ConstructorParameters<typeof UpdateCommand>[0]),
      )) as Output
    case 'DeleteCommand':
      return (await client.send(
        new DeleteCommand(input as ConstructorParameters<typeof DeleteCommand>[0]),
      )) as Output
    default:
      throw new Error(`The bare server cannot repeat a ${name}.`)
  }
}
