import type { DraftRecord, DraftStore } from '#correspondence/ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import { changesOf } from '../changes.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { pageOfIds } from '../page-of-records.ts'
import { draftActions } from './draft-actions.ts'

/**
 * Drafts in the table. The list of a user's drafts holds ids alone, and a page reads the records that it names: so
 * saving a draft writes one item. A page whose drafts are together over 3 MB holds fewer than asked for.
 */
export function draftStore(deps: { db: Db; cursors: Cursors; outbox: Outbox }): DraftStore {
  const { db, cursors } = deps
  const drafts = draftActions(db)
  const ofCase = caseActions(db)
  const { add, change, remove } = changesOf<DraftRecord>(deps, drafts, {
    events: 'none',
    follow: (before, after) => ({
      actions: [
        ...drafts.list.changes(before, after),
        ...(after === undefined ? [] : ofCase.inCase(after, before)),
      ],
    }),
  })

  return {
    find: drafts.find,

    page: (workspaceId, userId, request) =>
      pageOfIds(
        cursors,
        [workspaceId, 'drafts', userId],
        request,
        async (after, limit) => {
          const { entries } = await drafts.list.read(workspaceId, userId, { after }, limit)
          return entries.map(({ place }) => place)
        },
        (ids) => drafts.findAll(workspaceId, ids),
      ),

    add,
    change,
    remove,
  }
}
