import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'
import { dueOf, sameSecond } from './basis.ts'
import type { Basis } from './basis-schema.ts'
import type { Category } from './category.ts'
import { dueWarnings, eventWarnings } from './due-warnings.ts'
import { nextStep } from './history.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import type { DeadlineRecord, DeadlineSteps } from './ports.ts'
import { findPreset } from './presets.ts'
import { provisionalMembers, requireFinal, withdrawn } from './provisional.ts'
import type { Deadline, DeadlineChanges, EnteredDeadline } from './schema.ts'
import { changedSummary, germanMoment, titled } from './summaries.ts'
import { deadlineView, viewAfter } from './views.ts'
import { follows, takenOver, vorfristDue, vorfristTitle } from './vorfrist.ts'

/** Changing and striking deadlines (F2, F5, F8, F9, F14). */
export function changingDeadlines(deps: DeadlineDeps) {
  const { clock } = deps
  const { changeIf, requireUser, requireOrder, chainWarnings, pushWarnings, timelineOf, entryContext } =
    lookups(deps)

  return {
    /**
     * Changes the fields that are included; null clears a field, as in a new deadline. A new due time, basis, title or
     * responsible person clears the verification (F14). A due time set by hand has no basis. A Vorfrist that was
     * created with the Hauptfrist moves with it, unless its own due time was set by hand or it is completed.
     * Every Vorfrist that had the old title, responsible person or category gets the new one, even if it is completed,
     * since it may be reopened. So do the provisional deadlines of a requested extension.
     *
     * @throws Failure DEADLINE_NOT_FOUND, USER_NOT_FOUND, DEADLINE_COMPLETED, DEADLINE_PROVISIONAL, DUE_DATE_MISMATCH,
     *   PRECONDITION_FAILED; VALIDATION_ERROR for a Vorfrist due after its Hauptfrist or a Nachfrist due before it
     */
    change: (
      actor: Actor,
      id: string,
      changes: DeadlineChanges,
      precondition: Precondition<Deadline>,
    ): Promise<EnteredDeadline> =>
      changeIf(actor, id, precondition, async (current, { context, chain, vorfrist, provisional }) => {
        requireFinal(current)
        const { title = current.title } = changes
        const assigned_to =
          changes.assigned_to === null ? actor.user_id : (changes.assigned_to ?? current.assigned_to)
        const assignee =
          assigned_to === current.assigned_to
            ? undefined
            : await requireUser(actor, assigned_to, 'body.assigned_to')
        const asked = dueOf(changes, context.settings)
        const moves = asked !== undefined && !sameSecond(asked.due_at, current.due_at)
        const keepsBasis = !moves && changes.calculation !== null
        const basis = withUnknownMembers(
          current.basis,
          asked?.basis ?? (keepsBasis ? current.basis : null),
          {},
        )
        const category =
          changes.category === null
            ? categoryOf(basis, current.category)
            : (changes.category ?? asked?.category ?? current.category)
        const hasNewBasis = !isDeepStrictEqual(basis, current.basis)
        const isRenamed = title !== current.title || assignee !== undefined
        if (!isRenamed && !moves && !hasNewBasis && category === current.category) {
          const warnings = [...eventWarnings(current.basis, context), ...dueWarnings([current], context)]
          return { answer: { ...deadlineView(current, chain, context), warnings } }
        }
        if (moves && current.completed_at !== null) throw alreadyCompleted()
        if (moves) await requireOrder(actor, { frist_type: current.frist_type, due_at: asked.due_at }, chain)

        const entry = entryContext(actor, 'changed', context)
        const fields = { title, assigned_to, category, basis }
        const steps: DeadlineSteps = [
          nextStep(
            current,
            {
              ...fields,
              ...(isRenamed && unverified),
              ...(moves || hasNewBasis ? dueSetBy(current, actor) : {}),
              ...(moves && { due_at: asked.due_at, follows_days: null }),
            },
            entry,
          ),
        ]
        if (vorfrist) {
          const renamed = takenOver(vorfrist, vorfristTitle, current, fields)
          const along = {
            ...renamed,
            ...('title' in renamed || 'assigned_to' in renamed ? unverified : {}),
            ...(moves && movedAlong(vorfrist, asked.due_at, actor, context)),
          }
          if (Object.keys(along).length > 0) steps.push(nextStep(vorfrist, along, entry))
        }
        const changed = steps.map(({ after }) => after)
        const staying = vorfrist && !follows(vorfrist) ? vorfrist.id : null
        const warnings = [
          ...(basis === null ? basisWarnings(current.basis) : []),
          ...eventWarnings(basis, context),
          ...dueWarnings(changed, context),
          ...(moves
            ? await chainWarnings(actor, steps[0].after, { ...chain, vorfrist: staying }, context)
            : []),
          ...(await pushWarnings(actor, steps)),
        ]
        const summary = changedSummary(steps, assignee, context.timeZone)
        for (const { record, titleFor } of provisional ? provisionalMembers(provisional) : []) {
          const along = takenOver(record, titleFor, current, fields)
          if (Object.keys(along).length > 0)
            steps.push(nextStep(record, { ...along, ...(isRenamed && unverified) }, entry))
        }
        return {
          steps,
          timeline: timelineOf(actor, current, 'deadline.changed', summary),
          answer: { ...viewAfter(steps, chain, context), warnings },
        }
      }),

    /**
     * Strikes a deadline with the given reason; a Hauptfrist together with its Vorfrist (F8, F16).
     *
     * @throws Failure DEADLINE_NOT_FOUND, DEADLINE_PROVISIONAL, PRECONDITION_FAILED
     */
    strike: (
      actor: Actor,
      id: string,
      reason: string | undefined,
      precondition: Precondition<Deadline>,
    ): Promise<void> =>
      changeIf(actor, id, precondition, (current, { context, vorfrist, provisional }) => {
        requireFinal(current)
        const fields = {
          struck_at: timestamp(clock),
          struck_by: actor.user_id,
          struck_reason: reason ?? null,
        }
        const struck = entryContext(actor, 'struck', context, reason)
        const summary = `${titled(current)} zum ${germanMoment(current.due_at, context.timeZone)} gestrichen${vorfrist ? ', mit ihrer Vorfrist' : ''}`
        return {
          steps: [
            nextStep(current, { ...fields, ...(provisional && { extension: null }) }, struck),
            ...(vorfrist ? [nextStep(vorfrist, fields, struck)] : []),
            ...(provisional ? withdrawn(provisional, actor, struck) : []),
          ],
          timeline: timelineOf(actor, current, 'deadline.struck', summary),
          answer: undefined,
        }
      }),
  }
}

/** The category of a deadline for which none is chosen; `known` if this release does not know its preset. */
function categoryOf(basis: Basis | null, known: Category): Category {
  return basis?.preset ? (findPreset(basis.preset)?.category ?? known) : 'other'
}

/** A German warning: without the basis, only the category shows whether a court may extend the period (F18). */
function basisWarnings(removed: Basis | null): string[] {
  const isOnce = removed?.preset ? findPreset(removed.preset)?.once === true : false
  if (!removed?.notfrist && removed?.extendable !== false && !isOnce) return []
  const statute = removed?.statute ? ` (${removed.statute})` : ''
  return [
    `Die Berechnung ist entfernt: Ob die Frist${statute} eine Notfrist ist oder verlängert werden kann, wird nur noch nach der Fristart beurteilt.`,
  ]
}

const unverified = { verified_by: null, verified_at: null }

/** The changed fields of a Vorfrist whose Hauptfrist is now due at `due`; none if the Vorfrist stays as it is. */
export function movedAlong(
  vorfrist: DeadlineRecord,
  due: string,
  actor: Actor,
  place: Parameters<typeof vorfristDue>[2],
): Partial<DeadlineRecord> {
  if (!follows(vorfrist)) return {}
  const { follows_days: days, on_working_day: onWorkingDay } = vorfrist
  const due_at = vorfristDue(due, { days, onWorkingDay }, place)
  if (sameSecond(due_at, vorfrist.due_at)) return {}
  // Its own calculation does not give the new due time.
  return { ...dueSetBy(vorfrist, actor), due_at, basis: null }
}

/**
 * The other fields that change with a new due time or basis: the deadline is unverified, and the user who set it cannot
 * verify it (F5, F6).
 */
export function dueSetBy(record: DeadlineRecord, actor: Actor): Partial<DeadlineRecord> {
  const keepsDelegation = record.delegation?.delegated_to !== actor.user_id
  return {
    ...unverified,
    due_set_by: actor.user_id,
    delegation: keepsDelegation ? record.delegation : null,
  }
}

export function alreadyCompleted(): Failure {
  return conflict(
    'DEADLINE_COMPLETED',
    'This deadline is completed: its due time stays. Reopen it, or enter a new deadline.',
  )
}
