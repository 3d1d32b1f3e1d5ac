import { withOffset } from '#german-time/local-time.ts'
import { dueInstant } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { nextStep } from './history.ts'
import { type DeadlineDeps, lookups, type Precondition } from './lookups.ts'
import type { DeadlineRecord, DeadlineStep } from './ports.ts'
import type { CompletionInput, Deadline, DeadlineChanges } from './schema.ts'
import { changedSummary, germanMoment, titled } from './summaries.ts'
import { deadlineView } from './views.ts'
import { daysBefore, follows, takenOver } from './vorfrist.ts'

/** Changing, completing and striking deadlines (F2, F5, F8, F9). */
export function changingDeadlines(deps: DeadlineDeps) {
  const { store, evidence, clock } = deps
  const { viewContextOf, requireUser, requireOrder, timelineEntryOf, entryContext } = lookups(deps)

  return {
    /**
     * Changes what is included. Another due time clears the verification. A Vorfrist that was made with the
     * Hauptfrist moves along, unless its own due time was set by hand or it is completed.
     *
     * @throws Failure DEADLINE_NOT_FOUND, USER_NOT_FOUND, DEADLINE_COMPLETED, PRECONDITION_FAILED; VALIDATION_ERROR
     *   for a Vorfrist due after its Hauptfrist or a Nachfrist due before it
     */
    async change(
      actor: Actor,
      id: string,
      changes: DeadlineChanges,
      precondition: Precondition,
    ): Promise<Deadline> {
      const context = await viewContextOf(actor)
      const { deadline, chain } = await store.change(
        actor.workspace_id,
        id,
        async (current, chain, vorfrist) => {
          precondition(deadlineView(current, chain, context))
          const { title = current.title, assigned_to = current.assigned_to } = changes
          const assignee =
            assigned_to === current.assigned_to ? undefined : await requireUser(actor, assigned_to)
          const due_at = changes.due_at && dueInstant(changes.due_at, context.timeZone)
          const moves = due_at !== undefined && !sameSecond(due_at, current.due_at)
          if (title === current.title && assignee === undefined && !moves) return undefined
          if (moves && current.completed_at !== null) throw alreadyCompleted()
          if (moves) await requireOrder(actor, { frist_type: current.frist_type, due_at }, chain)

          const changed = entryContext(actor, 'changed', context)
          const fields = { title, assigned_to }
          const movedFields = moves ? { ...movedTo(current, due_at, actor), follows_days: null } : {}
          const steps: [DeadlineStep, ...DeadlineStep[]] = [
            nextStep(current, { ...fields, ...movedFields }, changed),
          ]
          if (vorfrist && follows(vorfrist)) {
            const before = moves && daysBefore(due_at, vorfrist.follows_days, context.timeZone)
            const along = {
              ...takenOver(vorfrist, current, fields),
              ...(before && !sameSecond(before, vorfrist.due_at) && movedTo(vorfrist, before, actor)),
            }
            if (Object.keys(along).length > 0) steps.push(nextStep(vorfrist, along, changed))
          }
          const summary = changedSummary(steps, assignee, context.timeZone)
          return { steps, timelineEntry: timelineEntryOf(actor, id, 'deadline.changed', summary) }
        },
      )
      return deadlineView(deadline, chain, context)
    },

    /** Strikes a deadline, a Hauptfrist with its Vorfrist. @throws Failure DEADLINE_NOT_FOUND, PRECONDITION_FAILED */
    async strike(actor: Actor, id: string, precondition: Precondition): Promise<void> {
      const context = await viewContextOf(actor)
      await store.change(actor.workspace_id, id, (current, chain, vorfrist) => {
        precondition(deadlineView(current, chain, context))
        const fields = { struck_at: timestamp(clock), struck_by: actor.user_id }
        const struck = entryContext(actor, 'struck', context)
        const summary = `${titled(current)} zum ${germanMoment(current.due_at, context.timeZone)} gestrichen${vorfrist ? ', mit ihrer Vorfrist' : ''}`
        return {
          steps: [
            nextStep(current, fields, struck),
            ...(vorfrist ? [nextStep(vorfrist, fields, struck)] : []),
          ],
          timelineEntry: timelineEntryOf(actor, id, 'deadline.struck', summary),
        }
      })
    },

    /**
     * Records that the act was done, with its evidence. A completed deadline stays as it is.
     *
     * @throws Failure DEADLINE_NOT_FOUND, DOCUMENT_NOT_FOUND, PRECONDITION_FAILED
     */
    async complete(
      actor: Actor,
      id: string,
      input: CompletionInput,
      precondition: Precondition,
    ): Promise<Deadline> {
      const context = await viewContextOf(actor)
      const { deadline, chain } = await store.change(actor.workspace_id, id, async (current, before) => {
        precondition(deadlineView(current, before, context))
        if (current.completed_at !== null) return undefined
        await requireEvidence(actor, input.evidence)
        const fields = {
          completed_at: timestamp(clock),
          completed_by: actor.user_id,
          evidence: input.evidence,
        }
        const summary = `${titled(current)} erledigt, ${evidenceInGerman[input.evidence.type]}`
        return {
          steps: [nextStep(current, fields, entryContext(actor, 'completed', context))],
          timelineEntry: timelineEntryOf(actor, id, 'deadline.completed', summary),
        }
      })
      return deadlineView(deadline, chain, context)
    },
  }

  async function requireEvidence(actor: Actor, given: CompletionInput['evidence']): Promise<void> {
    if (given.type !== 'document') return
    const exists = await evidence.documentExists(actor.workspace_id, given.document_id)
    if (!exists) throw notFound('DOCUMENT_NOT_FOUND')
  }
}

const evidenceInGerman: Record<CompletionInput['evidence']['type'], string> = {
  document: 'Nachweis: Dokument',
  bea_receipt: 'Nachweis: beA-Eingangsbestätigung',
  note: 'Nachweis: Vermerk',
}

/** Whether two times are shown alike (G6): to send back a time that was shown changes nothing. */
function sameSecond(one: string, other: string): boolean {
  return withOffset(new Date(one), 'UTC') === withOffset(new Date(other), 'UTC')
}

/** What another due time changes besides: nobody has verified it, and who set it cannot do so (F5, F6). */
function movedTo(record: DeadlineRecord, due_at: string, actor: Actor): Partial<DeadlineRecord> {
  const keepsDelegation = record.delegation?.delegated_to !== actor.user_id
  return {
    due_at,
    due_set_by: actor.user_id,
    verified_by: null,
    verified_at: null,
    delegation: keepsDelegation ? record.delegation : null,
  }
}

function alreadyCompleted(): Failure {
  return new Failure(
    'conflict',
    'DEADLINE_COMPLETED',
    'This deadline is completed: its due time stays. Enter a new deadline for a new time.',
  )
}
