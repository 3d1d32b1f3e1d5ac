import { notFound } from '#kernel/failure.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import type { Db } from '../db.ts'
import { type Action, demand, put } from '../transact.ts'
import { caseEntity } from './case-entity.ts'
import { timelineEntry } from './timeline-entity.ts'

/** Actions on a case that the transactions of other stores use. */
export function caseActions(db: Db) {
  const cases = caseEntity(db)
  const timeline = timelineEntry(db)
  return {
    /** Requires that the case exists and is not deleted; otherwise the transaction fails with CASE_NOT_FOUND. */
    isThere: (workspaceId: string, caseId: string): Action =>
      demand(
        cases
          .remove({ workspace_id: workspaceId, id: caseId })
          .where(({ deleted_at }, { notExists }) => notExists(deleted_at)),
        () => notFound('CASE_NOT_FOUND'),
      ),

    /** Records the entry in the timeline of the case (C6). */
    recordTimeline: (workspaceId: string, caseId: string, entry: TimelineEntry): Action =>
      put(
        timeline.create({
          workspace_id: workspaceId,
          case_id: caseId,
          ...entry,
          ref: entry.ref ?? undefined,
        }),
      ),
  }
}
