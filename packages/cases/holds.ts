import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { invalidAt, notFound, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type CaseDeps, caseLookups } from './lookups.ts'
import type { CaseRecord } from './ports.ts'
import { activeHolds, type CaseHold, type CaseHoldInput, maxHolds } from './retention-schema.ts'

/**
 * The maximum size of all holds of a case. Its item has at most 400 KB; names, roles and description take up to 260.
 */
const maxHoldBytes = 120_000

/** Legal holds on cases (R2). A deleted case can have holds, too, because it is disposed of like any other case. */
export function caseHolds(deps: CaseDeps) {
  const { store, pageOut, clock } = deps
  const { workspaceOf, timelineOf, changed } = caseLookups(deps)

  const today = async (workspaceId: string): Promise<string> => {
    const { time_zone } = await workspaceOf(workspaceId)
    return localDateOf(clock.now(), time_zone)
  }

  /** The case with its new holds, and the timeline entry for this change. */
  const withHolds = (
    actor: Actor,
    current: CaseRecord,
    holds: CaseHold[],
    type: string,
    summary: string,
  ) => ({
    record: changed(current, { holds: holds.length === 0 ? null : holds }),
    timeline: timelineOf(actor, current, type, summary),
  })

  return {
    /**
     * Sets a hold on a case, which may be open, closed or deleted.
     *
     * @throws Failure CASE_NOT_FOUND; VALIDATION_ERROR for a last day in the past, for more than 50 holds, and if all
     *   reasons together are too long
     */
    async addHold(actor: Actor, id: string, input: CaseHoldInput): Promise<Answered<CaseHold>> {
      const day = await today(actor.workspace_id)
      return store.changeHolds(actor.workspace_id, id, (current) => {
        if (input.until !== null && input.until < day)
          throw invalidAt('body.until', `This day is in the past: today is ${day}.`)
        if ((current.holds ?? []).length >= maxHolds)
          throw invalidAt('body', `A case has at most ${maxHolds} holds. Lift one first.`)
        const hold = {
          id: newId('hold'),
          ...input,
          created_at: timestamp(clock),
          created_by: actor.user_id,
        }
        if (Buffer.byteLength(JSON.stringify([...(current.holds ?? []), hold])) > maxHoldBytes)
          throw invalidAt(
            'body.reason',
            'All reasons of the holds of this case together are too long. Shorten this one, or lift a hold first.',
          )
        const until = input.until === null ? '' : ` bis ${germanDate(dayNumberOf(input.until))}`
        const summary = `Aufbewahrungssperre gesetzt${until}: ${input.reason}`
        return {
          ...withHolds(actor, current, [...(current.holds ?? []), hold], 'hold.set', summary),
          answer: hold,
        }
      })
    },

    /** The holds that are in force today, oldest first. @throws Failure CASE_NOT_FOUND */
    async listHolds(actor: Actor, id: string, request: PageRequest): Promise<Page<CaseHold>> {
      const record = required(await store.findRetained(actor.workspace_id, id), 'CASE_NOT_FOUND')
      const active = activeHolds(record.holds, await today(actor.workspace_id))
      return pageOut([actor.workspace_id, 'case_holds', id], active, request, (hold) => hold.id)
    },

    /** Lifts a hold, even if its last day is over. @throws Failure CASE_NOT_FOUND, HOLD_NOT_FOUND */
    async liftHold(actor: Actor, id: string, holdId: string, reason: string): Promise<void> {
      await store.changeHolds(actor.workspace_id, id, (current) => {
        const lifted = current.holds?.find((hold) => hold.id === holdId)
        if (lifted === undefined) throw notFound('HOLD_NOT_FOUND')
        const rest = (current.holds ?? []).filter((hold) => hold !== lifted)
        const summary = `Aufbewahrungssperre aufgehoben: ${reason}`
        return { ...withHolds(actor, current, rest, 'hold.lifted', summary), answer: undefined }
      })
    },
  }
}
