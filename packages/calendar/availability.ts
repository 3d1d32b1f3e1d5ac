import { withOffset } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { invalidAt, required, requireKnown } from '#kernel/failure.ts'
import { mergeIntervals, openSlots } from './open-slots.ts'
import type { CalendarStore, CalendarUsers, CalendarWorkspaces, Interval } from './ports.ts'
import {
  type FreeBusy,
  type FreeBusyInput,
  maxAvailabilityDays,
  type OpenSlots,
  type OpenSlotsInput,
} from './schema.ts'
import { boundedRange } from './times.ts'

export type AvailabilityService = ReturnType<typeof availabilityService>

/** The most intervals of one answer. Each takes 137 bytes of the answer of a Lambda, which has at most 6 MB. */
const maxIntervals = 40_000

/** Finds when users are busy, and when all of them are free (K6, K7). */
export function availabilityService(deps: {
  store: Pick<CalendarStore, 'busy'>
  workspaces: CalendarWorkspaces
  users: Pick<CalendarUsers, 'names'>
}) {
  const { store, workspaces, users } = deps

  /**
   * The workspace, the checked range, and the busy times of the users. Checks the range before it reads users and busy
   * times.
   */
  const readBusy = async (actor: Actor, { user_ids, from, to }: FreeBusyInput) => {
    const workspace = required(await workspaces.find(actor.workspace_id), 'WORKSPACE_NOT_FOUND')
    const range = boundedRange({ from, to }, workspace.time_zone, maxAvailabilityDays)
    const [names, busy] = await Promise.all([
      users.names(actor.workspace_id, user_ids),
      store.busy(actor.workspace_id, user_ids, range),
    ])
    requireKnown(user_ids, names, 'USER_NOT_FOUND', 'body.user_ids')
    return { workspace, range, busy }
  }

  return {
    /**
     * Busy intervals per user: half-open, cut to the range, merged if they overlap or touch (K6).
     *
     * @throws Failure INVALID_DATE_RANGE, USER_NOT_FOUND; VALIDATION_ERROR, also for too many intervals
     */
    async freeBusy(actor: Actor, input: FreeBusyInput): Promise<FreeBusy> {
      const { workspace, range, busy } = await readBusy(actor, input)
      const merged = input.user_ids.map((user_id) => ({
        user_id,
        intervals: mergeIntervals((busy.get(user_id) ?? []).map((one) => clip(one, range))),
      }))
      if (merged.reduce((sum, { intervals }) => sum + intervals.length, 0) > maxIntervals)
        throw invalidAt(
          'body.user_ids',
          `They have more than ${maxIntervals} busy times in this range. Ask for fewer users, or for fewer days.`,
        )
      const shown = (instant: string) => withOffset(new Date(instant), workspace.time_zone)
      return {
        busy: merged.flatMap(({ user_id, intervals }) =>
          intervals.map(({ start, end }) => ({ user_id, start: shown(start), end: shown(end) })),
        ),
      }
    },

    /** Times at which all users are free (K7). @throws as `freeBusy` */
    async openSlots(actor: Actor, input: OpenSlotsInput): Promise<OpenSlots> {
      const { workspace, range, busy } = await readBusy(actor, input)
      const { duration_minutes, step_minutes, working_hours, limit } = input
      const slots = openSlots({
        range,
        busy: mergeIntervals([...busy.values()].flat()),
        duration_minutes,
        step_minutes,
        working_hours,
        limit,
        time_zone: workspace.time_zone,
        region: workspace.holiday_region,
      })
      const shown = (instant: string) => withOffset(new Date(instant), workspace.time_zone)
      return { slots: slots.map(({ start, end }) => ({ start: shown(start), end: shown(end) })) }
    },
  }
}

function clip({ start, end }: Interval, range: Interval): Interval {
  return { start: start < range.start ? range.start : start, end: end > range.end ? range.end : end }
}
