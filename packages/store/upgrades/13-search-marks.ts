import { bareUuid } from '#kernel/id.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import type { Db } from '../db.ts'
import { documentEntity } from '../documents/document-entity.ts'
import type { StoredItem } from '../pages-of.ts'
import { dueIndexWork } from '../text-search/search-index-entity.ts'
import { dueItemAt } from '../text-search/search-index-store.ts'
import { markItem, markOf } from '../text-search/search-marks.ts'
import { filedIn, itemIn, type Upgrade } from './upgrade.ts'

/** The worker of the index is woken for a firm as soon as it has a mark. */
const dueAt = '2026-11-27T00:00:00.000Z'

/**
 * Marks every document, mail and beA message for the search index (T1). The worker indexes them while the service works,
 * and has documents read again whose texts an earlier release stored without pages (T7). A mark that the worker has
 * removed meanwhile may be written once more: its record is then indexed again.
 */
export const searchMarksUpgrade: Upgrade = {
  layout: 13,
  name: 'search-marks',
  says: 'marks documents, mails and beA messages for the index of texts',
  sources: (db: Db) => {
    const due = dueIndexWork(db)
    const itemsFor = (record: StoredItem): StoredItem[] => {
      const [workspaceId, id] = [String(record.workspace_id), String(record.id)]
      const wake = itemIn(due.put(dueItemAt(workspaceId, dueAt)))
      return [markItem(workspaceId, markOf('new', id, { upgrade: true }, bareUuid(id))), wake]
    }
    return [
      // Once a document has been read, it is marked anyway.
      filedIn('documents', documentEntity(db), (one) => (one.status === 'pending' ? [] : itemsFor(one))),
      filedIn('correspondence', correspondenceEntity(db), itemsFor),
      filedIn('bea_messages', beaMessageEntity(db), itemsFor),
    ]
  },
}
