import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** What every store is made with: the client and the table's name. ElectroDB takes it as its configuration. */
export type Db = { client: DynamoDBDocumentClient; table: string }

/**
 * How stores read: what was written before is seen, and what the client throws comes as it is, not in an error of
 * ElectroDB's, which it would make before every call.
 */
export const strongly = { consistent: true, originalErr: true } as const
