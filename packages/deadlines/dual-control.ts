import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, Failure } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { nextStep } from './history.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import type { Chain, DeadlineRecord } from './ports.ts'
import type { Deadline, Frist } from './schema.ts'
import { titled } from './summaries.ts'
import { deadlineView, fristView, type ViewContext } from './views.ts'

/** Verification by a second person (Vier-Augen-Prinzip), and its delegation to one user (F5, F6). */
export function dualControl(deps: DeadlineDeps) {
  const { users, clock } = deps
  const { changeIf, changeAndShow, requireUser, timelineOf, entryContext } = lookups(deps)

  /** The user to whom the verification is delegated; undefined if that user has been deactivated since. */
  const bindingDelegate = async ({ workspace_id, delegation }: DeadlineRecord) => {
    if (delegation === null) return undefined
    const user = await users.find(workspace_id, delegation.delegated_to)
    return user?.active ? delegation.delegated_to : undefined
  }

  const verifyRecord = <Answer>(
    actor: Actor,
    id: string,
    precondition: Precondition<Deadline>,
    answerOf: (record: DeadlineRecord, chain: Chain, context: ViewContext) => Answer,
  ): Promise<Answered<Answer>> =>
    changeIf(actor, id, precondition, async (current, { chain, context }) => {
      if (current.verified_by !== null) return { answer: answerOf(current, chain, context) }
      requireSecondPerson(current, await bindingDelegate(current), actor)
      const fields = { verified_by: actor.user_id, verified_at: timestamp(clock) }
      const summary = `${titled(current)} geprüft (Vier-Augen-Prinzip)`
      const step = nextStep(current, fields, entryContext(actor, 'verified', context))
      return {
        steps: [step],
        timeline: timelineOf(actor, current, 'deadline.verified', summary),
        answer: answerOf(step.after, chain, context),
      }
    })

  return {
    /**
     * Records the second person's check. A verified deadline stays as it is.
     *
     * @throws Failure DEADLINE_NOT_FOUND; DUAL_CONTROL_REQUIRED; DELEGATED_TO_OTHER; PRECONDITION_FAILED if the
     *   deadline has changed since the verifier saw it
     */
    verify: (actor: Actor, id: string, precondition: Precondition<Deadline>): Promise<Answered<Deadline>> =>
      verifyRecord(actor, id, precondition, deadlineView),

    /** The same for the Fristen view. @throws as `verify` */
    verifyFrist: (actor: Actor, id: string, precondition: Precondition<Deadline>): Promise<Answered<Frist>> =>
      verifyRecord(actor, id, precondition, (record, _, context) => fristView(record, context)),

    /**
     * Allows only one user to verify. A verified or completed deadline stays as it is.
     *
     * @throws Failure DEADLINE_NOT_FOUND; USER_NOT_FOUND; DUAL_CONTROL_REQUIRED (409) if that user may not verify;
     *   DELEGATED_TO_OTHER if it is delegated and the caller may not pass it on; PRECONDITION_FAILED
     */
    delegate: (
      actor: Actor,
      id: string,
      userId: string,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<Deadline>> =>
      changeAndShow(actor, id, precondition, async (current, { context }) => {
        const name = await requireUser(actor, userId, 'body.user_id')
        if (current.verified_by !== null || current.completed_at !== null) return undefined
        requireConcerned(current, await bindingDelegate(current), actor)
        if (mayNotVerify(current, userId)) throw cannotBeDelegate()
        if (current.delegation?.delegated_to === userId) return undefined
        const delegation = {
          delegated_to: userId,
          delegated_by: actor.user_id,
          delegated_at: timestamp(clock),
        }
        const summary = `Prüfung der ${titled(current)} an ${name} übertragen`
        return {
          steps: [nextStep(current, { delegation }, entryContext(actor, 'delegated', context))],
          timeline: timelineOf(actor, current, 'deadline.delegated', summary),
        }
      }),
  }
}

function mayNotVerify({ created_by, due_set_by }: DeadlineRecord, userId: string): boolean {
  return userId === created_by || userId === due_set_by
}

function requireSecondPerson(record: DeadlineRecord, delegate: string | undefined, { user_id }: Actor): void {
  if (mayNotVerify(record, user_id)) {
    throw new Failure(
      'forbidden',
      'DUAL_CONTROL_REQUIRED',
      'You entered this deadline or set its due time: another user must verify it.',
    )
  }
  if (delegate !== undefined && delegate !== user_id) throw delegatedToOther()
}

/** While a delegation is in force, only the people concerned may pass it on. */
function requireConcerned(record: DeadlineRecord, delegate: string | undefined, { user_id }: Actor): void {
  if (delegate === undefined) return
  const concerned = [
    delegate,
    record.delegation?.delegated_by,
    record.created_by,
    record.due_set_by,
    record.assigned_to,
  ]
  if (!concerned.includes(user_id)) throw delegatedToOther()
}

function cannotBeDelegate(): Failure {
  return conflict(
    'DUAL_CONTROL_REQUIRED',
    'This user entered the deadline or set its due time. Name another one.',
    { details: [{ path: 'body.user_id', message: 'This user entered the deadline or set its due time.' }] },
  )
}

function delegatedToOther(): Failure {
  return new Failure(
    'forbidden',
    'DELEGATED_TO_OTHER',
    'The verification was delegated to another user. They must verify it, or it must be delegated to you.',
  )
}
