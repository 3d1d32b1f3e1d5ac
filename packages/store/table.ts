/**
 * The shape of the table, for the stack and for the local database. All lists are Queries on the base table, so that
 * they are strongly consistent; see `sorted-list.ts`.
 */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds after which DynamoDB may remove an item. */
  timeToLive: 'ttl',
} as const

/**
 * The layout of items that this release writes. Increment it if older items do not have a changed stored form, and
 * write an upgrade (`upgrades/`) that converts them.
 */
export const tableLayout = 20

/** The oldest layout that this release reads. Until an upgrade is finished, the table has old and new items (U3). */
export const oldestLayout = 9

/** The key of the item with the layout of the table. */
export const layoutKey = { pk: 'layout', sk: 'layout' } as const

/** The log line of a function whose release cannot work with the layout of the table. */
export const layoutRefusedMessage = 'table layout refused'

/** The table's name, from the environment of the function. */
export function tableName(): string {
  const name = process.env.TABLE_NAME
  if (!name) throw new Error('TABLE_NAME is not set: it names the DynamoDB table of this stage.')
  return name
}

/** The name of the stage, from the environment of the function. */
export function stageName(): string {
  const name = process.env.STAGE
  if (!name) throw new Error('STAGE is not set: it names the stage whose table this is.')
  return name
}
