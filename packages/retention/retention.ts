import { activeHolds, retainedYears, retainUntil } from '#cases/retention-schema.ts'
import { instantOfLocalTime, localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { ClosedCaseStore, DisposedCasesStore, RetentionWorkspaces } from './ports.ts'
import type { CaseCounts, DisposedCases, DuePage, DueQuery } from './schema.ts'

export type RetentionService = ReturnType<typeof retentionService>

/** The number of cases whose contents are counted concurrently. */
const countedAtOnce = 5

/** Cases whose retention period is over, and the statistics of disposed cases (R3). */
export function retentionService(deps: {
  cases: ClosedCaseStore
  disposed: DisposedCasesStore
  workspaces: RetentionWorkspaces
  clock: Clock
}) {
  const { cases, disposed, workspaces, clock } = deps
  return {
    /**
     * The cases whose retention period is over and that have no hold, in the order of their closing or deletion (R3).
     */
    async due({ workspace_id }: Actor, { by, ...request }: DueQuery): Promise<DuePage> {
      const { name, time_zone } = required(await workspaces.find(workspace_id), 'WORKSPACE_NOT_FOUND')
      const today = localDateOf(clock.now(), time_zone)
      const day = by ?? today
      const heldOn = day > today ? day : today
      const page = await cases.page(
        workspace_id,
        {
          before: closedBefore(day, time_zone),
          isWanted: ({ holds }) => activeHolds(holds, heldOn).length === 0,
          binding: ['retention_due', day],
        },
        request,
      )
      const counts = new Map<string, CaseCounts>()
      await inParallelUpTo(countedAtOnce, page.data, async ({ id }) => {
        counts.set(id, await cases.counts(workspace_id, id))
      })
      const data = page.data.flatMap(({ id, file_number, closed_at, deleted_at, ended_at }) => {
        const ofCase = counts.get(id)
        const retain_until = retainUntil(ended_at, time_zone)
        const shown = { case_id: id, file_number, closed_at, deleted_at, retain_until }
        return ofCase ? [{ ...shown, counts: ofCase }] : []
      })
      return { data, pagination: page.pagination, by: day, workspace: { name, time_zone } }
    },

    /**
     * How many cases were disposed of, by type and by the year of their closing (of their deletion if never closed).
     */
    statistics: async ({ workspace_id }: Actor): Promise<{ data: DisposedCases[] }> => ({
      data: await disposed.all(workspace_id),
    }),
  }
}

/**
 * A case is due on this day if it ended before the returned moment: for a day in 2033, the beginning of 2027. Six full
 * years must have passed after the year of the closing (§ 50 Abs. 1 BRAO).
 */
export function closedBefore(day: string, timeZone: string): string {
  const year = Number(day.slice(0, 4)) - retainedYears
  // '0' sorts before any time. DynamoDB refuses an empty text in a condition on a key.
  if (year < 1) return '0'
  return instantOfLocalTime(`${String(year).padStart(4, '0')}-01-01`, '00:00', timeZone).toISOString()
}
