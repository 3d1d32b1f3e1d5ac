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
 * Counts the ways in which items were laid out in the table. A change of keys or entries that would misread older
 * items counts it up, so that the local environment refuses data of an earlier one.
 */
export const tableLayout = 3

/** The table's name, from the environment of the function. */
export function tableName(): string {
  const name = process.env.TABLE_NAME
  if (!name) throw new Error('TABLE_NAME is not set: it names the DynamoDB table of this stage.')
  return name
}
