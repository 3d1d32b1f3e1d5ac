import type { DynamoDBDocumentClient } from '#sdk/lib-dynamodb'

/** What every store is made with: the client and the table's name. ElectroDB takes it as its configuration. */
export type Db = { client: DynamoDBDocumentClient; table: string }
