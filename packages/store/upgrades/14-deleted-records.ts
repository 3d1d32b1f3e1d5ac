import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { removedInCase } from '../retention/disposal-part-entity.ts'
import { itemIn, type Upgrade } from './upgrade.ts'

/** The kinds of records of a case that leave every list when they are deleted. */
const kinds = [
  'beadraft',
  'beamessage',
  'correspondence',
  'document',
  'draft',
  'event',
  'folder',
  'invoice',
  'timeentry',
]

/**
 * Notes the records of cases that were deleted, so that a disposal finds them (R3). No list names them, and earlier releases
 * left no note.
 */
export const deletedRecords: Upgrade = {
  layout: 14,
  name: 'deleted-records',
  says: 'notes deleted records of cases, so that they go when their case is disposed of',
  scanned: (db: Db) => ({
    kinds,
    itemsFor: (item) => {
      const { workspace_id } = item
      const { id, case_id, deleted_at } = recordIn(item)
      if (typeof case_id !== 'string' || typeof deleted_at !== 'string') return []
      return [itemIn(removedInCase(db).put({ workspace_id: String(workspace_id), id: String(id), case_id }))]
    },
  }),
}

/** The fields of a record. An event is stored as JSON in its item. */
function recordIn(item: StoredItem): Record<string, unknown> {
  return typeof item.record === 'string' ? JSON.parse(item.record) : item
}
