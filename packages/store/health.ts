import { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Db } from './db.ts'
import { layoutKey } from './table.ts'

/**
 * Reads the layout item, the only one that the health check may read.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE if the table does not answer in time
 */
export async function askTable(db: Db): Promise<void> {
  await db.client.send(new GetCommand({ TableName: db.table, Key: layoutKey }))
}
