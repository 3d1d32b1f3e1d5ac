import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { keyed, readEach } from '../batch.ts'
import type { Db } from '../db.ts'
import { allItemsOf } from '../pages-of.ts'
import { layoutKey } from '../table.ts'

/** How far an upgrade of a firm has come. */
export type FirmProgress = {
  workspace_id: string
  /** The index of the source that is under way. */
  source: number
  /** The id of the last record of this source that was looked at. */
  after?: string
  /** How many records were looked at, and for how many of them items were written. */
  records: number
  changed: number
  /** How many of these records the last scan has looked at. A scan that begins again counts them again. */
  scanned?: number
  finished_at?: string
}

const partitionOf = (layout: number) => `upgrade#${layout}`

const keyOf = (layout: number, workspaceId: string) => ({ pk: partitionOf(layout), sk: workspaceId })

/** The progress of upgrades, as the table records it. */
export function upgradeProgress(db: Db) {
  const { client, table } = db
  return {
    /** The layout item; undefined in a table of layout 9. */
    layoutItem: async (): Promise<Record<string, unknown> | undefined> => {
      const get = new GetCommand({ TableName: table, Key: layoutKey, ConsistentRead: true })
      return (await client.send(get)).Item
    },

    /** Notes that every item has this layout. @throws Error if a newer layout is noted already */
    finish: async (layout: number, stage: string): Promise<void> => {
      const put = new PutCommand({
        TableName: table,
        Item: { ...layoutKey, layout, stage },
        ConditionExpression: 'attribute_not_exists(layout) OR layout <= :layout',
        ExpressionAttributeValues: { ':layout': layout },
      })
      await client.send(put)
    },

    /** The firms that the upgrade to this layout has begun with, by id. */
    firms: async (layout: number): Promise<Map<string, FirmProgress>> => {
      const found = new Map<string, FirmProgress>()
      for (const { pk: _, sk: __, ...progress } of await allItemsOf(db, partitionOf(layout)))
        found.set(String(progress.workspace_id), progress as FirmProgress)
      return found
    },

    note: async (layout: number, progress: FirmProgress): Promise<void> => {
      const Item = { ...keyOf(layout, progress.workspace_id), ...progress }
      await client.send(new PutCommand({ TableName: table, Item }))
    },

    /** Whether the records of a firm have this layout. */
    isUpgraded: async (layout: number, workspaceId: string): Promise<boolean> => {
      const keys = [layoutKey, keyOf(layout, workspaceId)]
      const items = await readEach(db, keys, keyed)
      return items.some((item) => Number(item.layout) >= layout || item.finished_at !== undefined)
    },
  }
}
