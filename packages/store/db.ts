import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** The client and the table's name, which every store needs. It is also the configuration of ElectroDB. */
export type Db = { client: DynamoDBDocumentClient; table: string }

/**
 * The options of reads: strongly consistent, and errors of the client are thrown unchanged. Otherwise ElectroDB would
 * create an error object of its own before every call.
 */
export const strongly = { consistent: true, originalErr: true } as const

/** The same, with the attributes of items that their entity does not know (`rewrite.ts`), and with their keys. */
export const whole = { ...strongly, data: 'includeKeys' } as const
