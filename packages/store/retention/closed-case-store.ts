import { closedAtOf, endedAtOf } from '#cases/retention-schema.ts'
import type { ClosedCase, ClosedCaseStore } from '#retention/ports.ts'
import { closedCases, closedPlace } from '../cases/closed-cases.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import type { Db } from '../db.ts'
import { caseCounts } from './case-counts.ts'
import { type RetainedCase, retainedCases } from './retained-cases.ts'

/** Closed cases that one page looks at, even if few of them are wanted. */
const maxSeen = 1_000

/** Closed cases in the table, as the rules of retention see them. */
export function closedCaseStore({ db, cursors }: { db: Db; cursors: Cursors }): ClosedCaseStore {
  const closed = closedCases(db)
  const cases = retainedCases(db)

  return {
    page: (workspaceId, { before, isWanted, binding }, request) =>
      pageByCursor(cursors, [workspaceId, ...binding], request, async (position, limit) => {
        const items: ClosedCase[] = []
        for (let after = position, seen = 0; ; ) {
          const found = await closed.before(workspaceId, before, after, limit)
          const ids = [...new Set(found.closed.map(({ id }) => id))]
          const known = new Map((await cases(workspaceId, ids)).map((one) => [one.id, one]))
          for (const [at, { id, place }] of found.closed.entries()) {
            const shown = closedCaseAt(place, known.get(id))
            after = place
            if (shown === undefined || !isWanted(shown)) continue
            items.push(shown)
            const isLast = found.ended && at === found.closed.length - 1
            if (items.length === limit) return { items, next: isLast ? undefined : place }
          }
          seen += found.closed.length
          if (found.ended) return { items, next: undefined }
          if (seen >= maxSeen) return { items, next: after }
        }
      }),

    counts: caseCounts(db),
  }
}

/**
 * The closed case of an entry; undefined if it was reopened since then, even if it is closed again, or its removal has begun.
 * An older release reopens a case without removing its entry.
 */
function closedCaseAt(place: string, record: RetainedCase | undefined): ClosedCase | undefined {
  const ended_at = record === undefined ? null : endedAtOf(record)
  if (record === undefined || ended_at === null || place !== closedPlace(ended_at, record.id))
    return undefined
  const { id, file_number, deleted_at, holds } = record
  return { id, file_number, closed_at: closedAtOf(record), deleted_at, ended_at, holds }
}
