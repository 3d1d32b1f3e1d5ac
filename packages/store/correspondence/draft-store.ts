import type { DraftRecord, DraftStore } from '#correspondence/ports.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { caseActions } from '../cases/case-actions.ts'
import { changesOf } from '../changes.ts'
import { pageOfIds } from '../page-of-records.ts'
import type { StoreDeps } from '../store-deps.ts'
import { retryStale, transact } from '../transact.ts'
import { deletedDrafts, draftActions } from './draft-actions.ts'

/**
 * Drafts in the table. The list of a user's drafts has only ids, and a page reads the records with these ids. So saving
 * a draft writes one item. A page whose drafts are together over 3 MB has fewer than requested.
 */
export function draftStore(deps: StoreDeps): DraftStore {
  const { db, cursors } = deps
  const drafts = draftActions(db)
  const ofCase = caseActions(db)
  const { add, change, remove } = changesOf<DraftRecord>(deps, drafts, {
    events: 'none',
    follow: (before, after) => ({
      actions: [
        ...(after === undefined && before !== undefined
          ? drafts.listDeleted(before)
          : drafts.list.changes(before, after)),
        ...(after === undefined ? [] : ofCase.inCase(after, before)),
      ],
    }),
  })

  const pageOf = (
    workspaceId: string,
    term: string,
    request: PageRequest,
    find: (workspaceId: string, ids: string[]) => Promise<DraftRecord[]>,
  ): Promise<Page<DraftRecord>> =>
    pageOfIds(
      cursors,
      [workspaceId, 'drafts', term],
      request,
      (after, limit) => drafts.list.places(workspaceId, term, { after }, limit),
      (ids) => find(workspaceId, ids),
    )

  return {
    find: drafts.find,

    page: (workspaceId, userId, request) => pageOf(workspaceId, userId, request, drafts.findAll),

    pageDeleted: (workspaceId, request) => pageOf(workspaceId, deletedDrafts, request, drafts.findDeleted),

    changeDeleted: (workspaceId, id, change) =>
      retryStale(async () => {
        const [before] = await drafts.findDeleted(workspaceId, [id])
        const after = before && change(before)
        if (before === undefined || after === undefined) return
        const { deleted_at } = before
        await transact(db, [drafts.replaceDeleted(before, { ...after, deleted_at })])
      }),

    add,
    change,
    remove,
  }
}
