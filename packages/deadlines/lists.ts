import { overBefore } from '#german-time/time-limit.ts'
import { rangeOf } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import { type DeadlineState, type DueQuery, deadlineStates, type ListedDeadline } from './ports.ts'
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
    viewsOf: (records: ListedDeadline[]) => Promise<View[]> | View[],
  ): Promise<Page<View>> => {
    const { data, pagination } = await store.page(actor.workspace_id, list, query, request)
    return { data: await viewsOf(data), pagination }
  }

  return {
    /**
     * Deadlines due from now on, unless `from`, `status` or `overdue` say otherwise. With `updated_since`, the
     * deadlines that have changed, oldest change first (G16), past ones too unless the request excludes them. A
     * deadline does not count as changed only because its due time passes.
     *
     * @throws Failure INVALID_DATE_RANGE
     */
    async list(actor: Actor, query: DeadlineQuery): Promise<Page<Deadline> | ShownChanges<Deadline>> {
      const { status, overdue, case_id, assigned_to, from, to, updated_since: since, ...request } = query
      const context = await viewContextOf(actor)
      const range = rangeOf({ from, to }, context.timeZone)
      const now = overBefore(context.now).toISOString()
      const states = status === undefined ? unstruck : statesOf.deadline[status]
      const asked = status === undefined ? range : rangeOfStatus(status, range, now)
      const found = overdue ? overdueOf({ states, ...asked }, now) : { states, ...asked }
      const list = ['deadlines', status, overdue, case_id, assigned_to, from, to]
      if (since !== undefined) {
        const due = { ...found, case_id, assigned_to, fromIsNow: asked.from === now }
        const changes = await store.changes(actor.workspace_id, list, due, { ...request, since })
        return shownChanges(changes, (records) => deadlineViews(actor, records, context))
      }
      const isUpcoming = from === undefined && status === undefined && !overdue
      const due = { ...found, ...(isUpcoming && { from: now }), case_id, assigned_to }
      return pageOf(actor, list, due, request, async (listed) =>
        deadlineViews(actor, await store.complete(listed), context),
      )
    },

    /** Deadlines that are neither verified nor completed, past ones included. */
    async unverified(actor: Actor, request: PageRequest): Promise<Page<Deadline>> {
      const context = await viewContextOf(actor)
      return pageOf(actor, ['unverified'], { states: ['open'] }, request, async (listed) =>
        deadlineViews(actor, await store.complete(listed), context),
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
          ...rangeOfStatus(status, range, overBefore(context.now).toISOString()),
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

/** The stored states of the deadlines with a status, for both views (F4). */
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

/** The part of a query that is overdue now: past and not completed, verified or not (F15). */
function overdueOf(query: DueQuery, now: string): DueQuery {
  const { states, until = now } = query
  return {
    ...query,
    states: states.filter((state) => state === 'open' || state === 'verified'),
    until: until < now ? until : now,
  }
}
