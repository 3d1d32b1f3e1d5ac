import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'

/** The fields of a result that the bare servers use. */
export type Output = { Item?: Record<string, unknown> | undefined }

/** The document client of a bare server, with the defaults of the SDK. */
export const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))

const commands = {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
}

/** Makes a recorded call of the table with this input. @throws Error for a command that is not listed here */
export async function repeat(name: string, input: unknown): Promise<Output> {
  if (!Object.hasOwn(commands, name)) throw new Error(`The bare server cannot repeat a ${name}.`)
  const Command = commands[name as keyof typeof commands] as unknown as new (input: unknown) => GetCommand
  return client.send(new Command(input))
}
