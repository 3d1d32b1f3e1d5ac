import { rangeOf } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import { type DeadlineRecord, type DeadlineState, type DueQuery, deadlineStates } from './ports.ts'
import type { Deadline, DeadlineQuery, Frist, FristQuery } from './schema.ts'
import { fristView } from './views.ts'

/** The lists of deadlines, all by due time ascending (F7). */
export function deadlineLists(deps: DeadlineDeps) {
  const { store } = deps
  const { viewContextOf, deadlineViews } = lookups(deps)

  const pageOf = async <View>(
    actor: Actor,
    list: readonly unknown[],
    query: DueQuery,
    request: PageRequest,
    viewsOf: (records: DeadlineRecord[]) => Promise<View[]> | View[],
  ): Promise<Page<View>> => {
    const { data, pagination } = await store.page(actor.workspace_id, list, query, request)
    return { data: await viewsOf(data), pagination }
  }

  return {
    /** Deadlines due from now on, unless `from` or `status` say otherwise. @throws Failure INVALID_DATE_RANGE */
    async list(actor: Actor, query: DeadlineQuery): Promise<Page<Deadline>> {
      const { status, case_id, assigned_to, from, to, ...request } = query
      const context = await viewContextOf(actor)
      const range = rangeOf({ from, to }, context.timeZone)
      const now = context.now.toISOString()
      const upcoming = from === undefined ? { ...range, from: now } : range
      const wanted =
        status === undefined
          ? { states: unstruck, ...upcoming }
          : { states: statesOf.deadline[status], ...rangeOfStatus(status, range, now) }
      return pageOf(
        actor,
        ['deadlines', status, case_id, assigned_to, from, to],
        { ...wanted, case_id, assigned_to },
        request,
        (records) => deadlineViews(actor, records, context),
      )
    },

    /** Deadlines that are neither verified nor completed, past ones included. */
    async unverified(actor: Actor, request: PageRequest): Promise<Page<Deadline>> {
      const context = await viewContextOf(actor)
      return pageOf(actor, ['unverified'], { states: ['open'] }, request, (records) =>
        deadlineViews(actor, records, context),
      )
    },

    /** The Fristen view, past ones included. @throws Failure INVALID_DATE_RANGE */
    async listFristen(actor: Actor, query: FristQuery): Promise<Page<Frist>> {
      const { status, case_id, assigned_to, from, to, ...request } = query
      const context = await viewContextOf(actor)
      const range = rangeOf({ from, to }, context.timeZone)
      return pageOf(
        actor,
        ['fristen', status, case_id, assigned_to, from, to],
        {
          states: statesOf.frist[status],
          ...rangeOfStatus(status, range, context.now.toISOString()),
          case_id,
          assigned_to,
        },
        request,
        (records) => records.map((record) => fristView(record, context)),
      )
    },
  }
}

const unstruck = deadlineStates.filter((state) => state !== 'struck')

/** The stored states among which a status is found, in either view (F4). */
const statesOf: Record<'deadline', Record<NonNullable<DeadlineQuery['status']>, readonly DeadlineState[]>> &
  Record<'frist', Record<FristQuery['status'], readonly DeadlineState[]>> = {
  deadline: { pending: ['open'], expired: ['open'], verified: ['verified'], completed: ['completed'] },
  frist: { open: ['open'], expired: ['open'], verified: ['verified', 'completed'], all: unstruck },
}

/** The part of the range in which an open deadline has this status now; other statuses do not depend on the time. */
function rangeOfStatus(
  status: DeadlineQuery['status'] | FristQuery['status'],
  range: { from?: string; until?: string },
  now: string,
): { from?: string; until?: string } {
  const { from = now, until = now } = range
  if (status === 'pending' || status === 'open') return { ...range, from: from < now ? now : from }
  if (status === 'expired') return { ...range, until: until > now ? now : until }
  return range
}
