import type { CaseRecord } from '#cases/ports.ts'
import { endedAtOf } from '#cases/retention-schema.ts'
import type { Db } from '../db.ts'
import { type Entry, filedList } from '../sorted-list.ts'

/** The fields of a case that its place among the closed cases follows from. `deleted_at`: if a user has deleted it. */
export type Closing = Pick<CaseRecord, 'workspace_id' | 'id' | 'status' | 'closed_at'> & {
  deleted_at?: string | null | undefined
}

/** The term of the list that holds every closed case of a firm. */
const all = 'all'

/**
 * The closed cases of a firm, by the time of their closing: oldest first. A case that a user has deleted stays among them; one
 * that was never closed comes in by the time of its deletion.
 */
export function closedCases(db: Db) {
  const list = filedList(db, 'closed_cases', 'ascending', entriesOf)
  return {
    changes: list.changes,

    /** The ids of cases that were closed or deleted before a moment, after a place, in the order of the list. */
    before: async (workspaceId: string, until: string, after: string | undefined, limit: number) => {
      const { entries, ended } = await list.read(workspaceId, all, { until, after }, limit)
      return {
        closed: entries.map(({ place }) => ({ place, id: place.slice(place.indexOf('#') + 1) })),
        ended,
      }
    },
  }
}

function entriesOf(record: Closing): Entry<null>[] {
  const endedAt = endedAtOf({ ...record, deleted_at: record.deleted_at ?? null })
  return endedAt === null ? [] : [{ term: all, place: closedPlace(endedAt, record.id), data: null }]
}

/** The place of a case in the list. */
export function closedPlace(endedAt: string, id: string): string {
  return `${endedAt}#${id}`
}
