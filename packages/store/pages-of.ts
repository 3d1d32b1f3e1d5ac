import { QueryCommand, type QueryCommandOutput, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb'
import type { Db } from './db.ts'

/** A stored item. */
export type StoredItem = Record<string, unknown> & { pk: string; sk: string }

/** The pages of a Query or a Scan. @param read sends the command for a page that begins at `start` */
export async function* pagesOf<Page extends QueryCommandOutput | ScanCommandOutput>(
  read: (start: object) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let start: object = {}; ; ) {
    const page = await read(start)
    yield page
    if (page.LastEvaluatedKey === undefined) return
    start = { ExclusiveStartKey: page.LastEvaluatedKey }
  }
}

/** The items of a partition, page by page. @param fields the attributes to read besides the key; all of them if omitted */
export async function* itemsOf(db: Db, pk: string, fields?: readonly string[]): AsyncGenerator<StoredItem[]> {
  const query = {
    TableName: db.table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ...projectionOf(fields && ['pk', 'sk', ...fields]),
    ConsistentRead: true,
  }
  const pages = pagesOf((start) => db.client.send(new QueryCommand({ ...query, ...start })))
  for await (const { Items = [] } of pages) yield Items as StoredItem[]
}

/** The parameters of a read that gets only these attributes; none if `fields` is undefined. */
export function projectionOf(fields: readonly string[] | undefined) {
  return (
    fields && {
      ProjectionExpression: fields.map((_, at) => `#${at}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(fields.map((field, at) => [`#${at}`, field])),
    }
  )
}

/** All items of a partition. */
export async function allItemsOf(db: Db, pk: string): Promise<StoredItem[]> {
  const items: StoredItem[] = []
  for await (const page of itemsOf(db, pk)) items.push(...page)
  return items
}
