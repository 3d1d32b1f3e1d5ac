import type { DraftRecord, DraftStore } from '#correspondence/ports.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import { caseActions } from '../cases/case-actions.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { pageOfIds } from '../page-of-records.ts'
import { retryStale } from '../transact.ts'
import { draftActions } from './draft-actions.ts'

/**
 * Drafts in the table. The list of a user's drafts holds ids alone, and a page reads the records that it names: so
 * saving a draft writes one item. A page whose drafts are together over 3 MB holds fewer than asked for.
 */
export function draftStore(deps: { db: Db; cursors: Cursors; outbox: Outbox; clock: Clock }): DraftStore {
  const { db, cursors, outbox, clock } = deps
  const drafts = draftActions(db)
  const ofCase = caseActions(db)

  const found = async (workspaceId: string, id: string): Promise<DraftRecord> => {
    const record = await drafts.find(workspaceId, id)
    if (record === undefined) throw notFound('DRAFT_NOT_FOUND')
    return record
  }

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

    add: (record) => outbox.commit([...drafts.add(record), ...ofCase.inCase(record)], []),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const decided = decide(before)
        if (decided === undefined) return before
        const { record, jobs } = decided
        await outbox.commit([...drafts.replace(before, record), ...ofCase.inCase(record, before)], jobs)
        return record
      }),

    remove: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const { jobs } = decide(before)
        await outbox.commit(drafts.remove(before, timestamp(clock)), jobs)
      }),
  }
}
