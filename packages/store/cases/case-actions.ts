import { type FailureDetail, notFound, unknownAt } from '#kernel/failure.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { type Action, demand, put } from '../transact.ts'
import { caseEntity } from './case-entity.ts'
import { timelineEntry } from './timeline-entity.ts'

type Filed = { workspace_id: string; case_id: string | null }

/** Actions on a case that the transactions of other stores use. */
export function caseActions(db: Db) {
  const cases = caseEntity(db)
  const timeline = timelineEntry(db)
  const without =
    (field: 'deleted_at' | 'disposal_id') => (workspace_id: string, id: string, details?: FailureDetail[]) =>
      demand(
        cases.remove({ workspace_id, id }).where((attributes, { notExists }) => notExists(attributes[field])),
        () => notFound('CASE_NOT_FOUND', details),
      )

  const isThere = without('deleted_at')

  const recordTimeline = (workspace_id: string, case_id: string, entry: TimelineEntry): Action =>
    put(timeline.create({ workspace_id, case_id, ...withoutNulls(entry) }))

  /**
   * Requires that a case is not being disposed of: what is in it then can no longer be taken out, and no envelope of it can
   * be sent. Otherwise the transaction fails with CASE_NOT_FOUND, as for the case itself.
   */
  const letsGo = without('disposal_id')

  return {
    letsGo,

    /** Requires that the case exists and is not deleted; otherwise the transaction fails with CASE_NOT_FOUND. */
    isThere,

    /**
     * The same of the case that a record is put into, and that the case from which it is taken lets it go; nothing if it
     * stays where it is.
     *
     * @param place of the case in the request; null if the request does not name it
     */
    inCase: (
      { workspace_id, case_id }: Filed,
      before?: Filed,
      place: string | null = 'body.case_id',
    ): Action[] => {
      const was = before?.case_id ?? null
      if (case_id === was) return []
      return [
        ...(case_id === null
          ? []
          : [isThere(workspace_id, case_id, place === null ? undefined : unknownAt(place, case_id))]),
        ...(was === null ? [] : [letsGo(workspace_id, was)]),
      ]
    },

    /**
     * The same for what belongs to a case whether it is deleted or not (C8), and is disposed of with it (R3): no disposal
     * of the case has begun.
     */
    withCase: ({ workspace_id, case_id }: Filed): Action[] =>
      case_id === null ? [] : [letsGo(workspace_id, case_id)],

    /** Records the entry in the timeline of the case (C6). */
    recordTimeline,

    /** Records these entries in the timelines of their cases. */
    recordTimelines: (workspaceId: string, entries: readonly CaseTimelineEntry[]): Action[] =>
      entries.map(({ case_id, entry }) => recordTimeline(workspaceId, case_id, entry)),
  }
}
