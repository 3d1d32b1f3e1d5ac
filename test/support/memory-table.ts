import type { Db } from '#store/db.ts'

type Item = { pk: string; sk: string } & Record<string, unknown>

type Input = {
  TransactItems?: { Put?: { Item: Item }; Delete?: { Key: Item } }[]
  RequestItems?: Record<
    string,
    { Keys: Item[] } | { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]
  >
  KeyConditionExpression?: string
  ExpressionAttributeValues?: Record<string, string>
  ExclusiveStartKey?: Item
  ScanIndexForward?: boolean
  Limit?: number
}

/** How many items were read: by Queries, and by reads of single items. */
export type Given = { queried: number; fetched: number }

/**
 * A table in memory for tests that fill lists with thousands of records. It supports the commands of sorted lists,
 * but no conditions. `sorted-list.test.ts` shows on the local DynamoDB that these commands have the same effect
 * there.
 *
 * @param before is called before each command, with its name
 */
export function memoryTable(before: (command: string) => Promise<void> = async () => {}): {
  db: Db
  given: Given
} {
  const partitions = new Map<string, Map<string, Item>>()
  const given = { queried: 0, fetched: 0 }
  const put = (item: Item) =>
    partitions.set(item.pk, (partitions.get(item.pk) ?? new Map<string, Item>()).set(item.sk, item))
  const remove = ({ pk, sk }: Item) => partitions.get(pk)?.delete(sk)

  const send = async (command: { constructor: { name: string }; input: Input }) => {
    const { input } = command
    await before(command.constructor.name)
    if (input.KeyConditionExpression !== undefined) {
      const { Limit = 1_000, ExclusiveStartKey, ScanIndexForward, ExpressionAttributeValues = {} } = input
      const { ':pk': pk = '', ...limits } = ExpressionAttributeValues
      if (Object.keys(limits).length > 0) throw new Error('This table knows whole partitions only.')
      const start = ExclusiveStartKey?.sk
      const items = [...(partitions.get(pk)?.values() ?? [])]
        .toSorted((one, other) => (one.sk < other.sk === ScanIndexForward ? -1 : 1))
        .filter(({ sk }) => start === undefined || (ScanIndexForward ? sk > start : sk < start))
      const page = items.slice(0, Limit)
      given.queried += page.length
      return { Items: page, LastEvaluatedKey: items.length > page.length ? page.at(-1) : undefined }
    }
    for (const { Put, Delete } of input.TransactItems ?? []) {
      if (Put) put(Put.Item)
      if (Delete) remove(Delete.Key)
    }
    for (const [table, batch] of Object.entries(input.RequestItems ?? {})) {
      if (!Array.isArray(batch)) {
        const found = batch.Keys.flatMap(({ pk, sk }) => partitions.get(pk)?.get(sk) ?? [])
        given.fetched += found.length
        return { Responses: { [table]: found } }
      }
      for (const { PutRequest, DeleteRequest } of batch) {
        if (PutRequest) put(PutRequest.Item)
        if (DeleteRequest) remove(DeleteRequest.Key)
      }
    }
    return {}
  }
  return { db: { client: { send } as unknown as Db['client'], table: 'memory' }, given }
}
