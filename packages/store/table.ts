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
 * The layout of items in the table, as this release writes them. Increase it with every change of a stored form that older
 * items do not have, and write an upgrade (`upgrades/`) that brings older items into the new form.
 */
export const tableLayout = 16

/** The oldest layout that this release reads. Until an upgrade is finished, old and new items lie side by side (U3). */
export const oldestLayout = 9

/** The item that says which layout the items of the table have. */
export const layoutKey = { pk: 'layout', sk: 'layout' } as const

/** The line of a function's log that says that its release does not work with the layout of the table. */
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
