/**
 * The shape of the one table, for the stack that creates it and for the local database alike. All lists are
 * Queries on the base table, so that they are strongly consistent; see `sorted-list.ts`.
 */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds after which DynamoDB may remove an item. */
  timeToLive: 'ttl',
} as const

/**
 * The version of the layout of items in the table. Increase it with every change of keys or attributes that would misread
 * older items: the local environment then refuses the older data.
 */
export const tableLayout = 9

/** The table's name, from the environment of the function. */
export function tableName(): string {
  const name = process.env.TABLE_NAME
  if (!name) throw new Error('TABLE_NAME is not set: it names the DynamoDB table of this stage.')
  return name
}
