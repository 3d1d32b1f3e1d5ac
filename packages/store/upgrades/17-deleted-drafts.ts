import { deletedDrafts } from '../correspondence/draft-actions.ts'
import type { Db } from '../db.ts'
import { sortedList } from '../sorted-list.ts'
import { itemsIn, type Upgrade } from './upgrade.ts'

/** Lists deleted drafts, so that the erasure of a party finds them (R5). Earlier releases listed them nowhere. */
export const deletedDraftsUpgrade: Upgrade = {
  layout: 17,
  name: 'deleted-drafts',
  says: 'lists deleted drafts of mails, so that the erasure of a party finds them',
  scanned: (db: Db) => {
    const list = sortedList(db, 'drafts', 'descending')
    return {
      kinds: ['draft'],
      itemsFor: ({ workspace_id, id, deleted_at }) => {
        if (typeof deleted_at !== 'string') return []
        const entry = { term: deletedDrafts, place: String(id), data: {} }
        return itemsIn(list.changes(String(workspace_id), [], [entry]))
      },
    }
  },
}
