import type { Db } from '../db.ts'
import { deletedExportConfig } from '../exports/export-config-entity.ts'
import { erase, put, transact } from '../transact.ts'
import { keyIn, type Upgrade } from './upgrade.ts'

/**
 * Moves deleted export configurations into a list, so that the erasure of a party finds them (R5). Earlier releases
 * listed them nowhere. Run it once no instance of the old release is left.
 */
export const deletedExports: Upgrade = {
  layout: 19,
  name: 'deleted-exports',
  says: 'lists deleted export configurations, so that the erasure of a party finds them',
  scanned: (db: Db) => ({
    kinds: ['deletedexportconfig'],
    convert: async (item, dryRun) => {
      const key = keyIn(
        deletedExportConfig(db).get({ workspace_id: String(item.workspace_id), id: String(item.id) }),
      )
      if (item.pk === key.pk) return false
      const moved = { TableName: db.table, Item: { ...item, ...key } }
      const before = { TableName: db.table, Key: { pk: item.pk, sk: item.sk } }
      if (!dryRun) await transact(db, [put({ params: () => moved }), erase({ params: () => before })])
      return true
    },
  }),
}
