import type { CaseRecord } from '#cases/ports.ts'
import { type Closing, closedCases } from '../cases/closed-cases.ts'
import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { itemsIn, type Upgrade } from './upgrade.ts'

/**
 * Files the cases that users deleted among the closed ones, so that they are due when their time is over (R3). No list names
 * them, and earlier releases did not file them.
 */
export const deletedCases: Upgrade = {
  layout: 15,
  name: 'deleted-cases',
  says: 'files deleted cases among those that are due for disposal when their time is over',
  scanned: (db: Db) => ({
    kinds: ['case'],
    itemsFor: (item) => {
      const { workspace_id, id, status, closed_at, deleted_at } = item as StoredItem & CaseRecord & Closing
      if (deleted_at == null || item.disposal_id !== undefined) return []
      const ended = { workspace_id, id, status, closed_at: closed_at ?? null, deleted_at }
      return itemsIn(closedCases(db).changes(undefined, ended))
    },
  }),
}
