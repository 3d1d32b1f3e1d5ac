import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { everyItem } from '#kernel/every-item.ts'
import { conflict, Failure, notFound, required, unknownAt } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { chainOccupied } from './chain-schema.ts'
import { movedAlong } from './changing.ts'
import { nextStep } from './history.ts'
import { type DeadlineDeps, lookups } from './lookups.ts'
import type { DeadlineRecord, DeadlineStep } from './ports.ts'
import { provisionalSteps, requireFinal, withdrawn } from './provisional.ts'
import {
  type CompletionInput,
  type Deadline,
  defaultVorfristDays,
  type Evidence,
  type Extension,
} from './schema.ts'
import { germanMoment, titled } from './summaries.ts'
import { vorfristDue } from './vorfrist.ts'

/**
 * Completing a deadline, the exit control of a second person, and undoing a completion that was wrong (F9, F16; BGH
 * I ZB 108/17).
 */
export function completingDeadlines(deps: DeadlineDeps) {
  const { evidence, store, clock } = deps
  const { changeAndShow, requireUser, timelineOf, entryContext } = lookups(deps)

  /** Requires that the evidence exists. Returns when the network acknowledged a beA message. */
  const requireEvidence = async (
    actor: Actor,
    given: CompletionInput['evidence'],
  ): Promise<string | undefined> => {
    if (given.checked_by) await requireUser(actor, given.checked_by, 'body.evidence.checked_by')
    if (given.type === 'document') {
      const exists = await evidence.documentExists(actor.workspace_id, given.document_id)
      if (!exists)
        throw notFound('DOCUMENT_NOT_FOUND', unknownAt('body.evidence.document_id', given.document_id))
    }
    if (given.type === 'bea_receipt') {
      const message = required(
        await evidence.sentBeaMessage(actor, given.message_id),
        'BEA_MESSAGE_NOT_FOUND',
        unknownAt('body.evidence.message_id', given.message_id),
      )
      if (message.acknowledged_at === null) throw notAcknowledged()
      return message.acknowledged_at
    }
    return undefined
  }

  /** The extension request that the completion of this deadline ended, from its history. */
  const endedRequest = async (completed: DeadlineRecord): Promise<Extension | undefined> => {
    const { workspace_id, id, frist_type, extension } = completed
    if (frist_type === 'vorfrist' || extension !== null) return undefined
    let ended: Extension | null | undefined
    for await (const { action, before } of everyItem((request) => store.history(workspace_id, id, request)))
      if (action === 'completed') ended = before?.extension
    if (ended?.state !== 'requested') return undefined
    return { ...ended, requested_until: new Date(ended.requested_until).toISOString() }
  }

  return {
    /**
     * Records that the act was done, with its evidence. A completed deadline stays as it is. Completing a Hauptfrist
     * also completes its open Vorfrist. A beA message is evidence once it is sent, imported and acknowledged (F16). Its
     * acknowledgement is the receipt, unless another time is given. So the register shows whether it came too late.
     *
     * @throws Failure DEADLINE_NOT_FOUND, DOCUMENT_NOT_FOUND, USER_NOT_FOUND, DEADLINE_PROVISIONAL,
     *   PRECONDITION_FAILED;
     *   BEA_MESSAGE_NOT_FOUND for a message that was not sent or that the actor may not read; BEA_RECEIPT_MISSING
     *   before it is acknowledged
     */
    complete: (
      actor: Actor,
      id: string,
      input: CompletionInput,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<Deadline>> =>
      changeAndShow(actor, id, precondition, async (current, { context, vorfrist, provisional }) => {
        requireFinal(current)
        if (current.completed_at !== null) return undefined
        const acknowledgedAt = await requireEvidence(actor, input.evidence)
        const done = { completed_at: timestamp(clock), completed_by: actor.user_id }
        const entry = entryContext(actor, 'completed', context)
        const alongWith = vorfrist?.completed_at === null ? [vorfrist] : []
        const summary = `${titled(current)} erledigt, ${evidenceInGerman[input.evidence.type]}`
        return {
          steps: [
            nextStep(
              current,
              {
                ...done,
                evidence: evidenceOf(input, acknowledgedAt),
                ...(provisional && { extension: null }),
              },
              entry,
            ),
            ...alongWith.map((one) => nextStep(one, { ...done, evidence: withHauptfrist }, entry)),
            ...(provisional
              ? withdrawn(provisional, actor, entryContext(actor, 'struck', context, 'Frist erledigt'))
              : []),
          ],
          timeline: timelineOf(actor, current, 'deadline.completed', summary),
        }
      }),

    /**
     * Records that a second person has checked the outgoing post: the act is done as the evidence says. Checking
     * again changes nothing.
     *
     * @throws Failure DEADLINE_NOT_FOUND; DEADLINE_NOT_COMPLETED; DUAL_CONTROL_REQUIRED for the user who completed it;
     *   PRECONDITION_FAILED
     */
    controlExit: (
      actor: Actor,
      id: string,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<Deadline>> =>
      changeAndShow(actor, id, precondition, (current, { context }) => {
        if (current.completed_at === null) throw notCompleted()
        if (current.exit_control !== null) return undefined
        if (current.completed_by === actor.user_id) throw ownCompletion()
        const exit_control = { by: actor.user_id, at: timestamp(clock) }
        return {
          steps: [nextStep(current, { exit_control }, entryContext(actor, 'exit_controlled', context))],
          timeline: timelineOf(
            actor,
            current,
            'deadline.exit_controlled',
            `Ausgangskontrolle der ${titled(current)}`,
          ),
        }
      }),

    /**
     * Undoes a completion, also of the Vorfrist that was completed with it. The history keeps both entries. If the
     * Hauptfrist has moved meanwhile, a Vorfrist that follows it moves too (F2). An extension request that the completion
     * ended waits for the court again, with a new provisional deadline (F18).
     *
     * @throws Failure DEADLINE_NOT_FOUND, DEADLINE_NOT_COMPLETED, PRECONDITION_FAILED; CHAIN_OCCUPIED if another deadline
     *   has its place in the chain; CASE_NOT_FOUND as `requestExtension`
     */
    reopen: (
      actor: Actor,
      id: string,
      reason: string,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<Deadline>> =>
      changeAndShow(actor, id, precondition, async (current, { context, chain, vorfrist }) => {
        if (current.completed_at === null) throw notCompleted()
        // Outside the chain, it would not be completed or struck together with its Hauptfrist.
        if (![null, current.id].includes(chain[current.frist_type])) throw chainOccupied(current.frist_type)
        const open = { completed_at: null, completed_by: null, evidence: null, exit_control: null }
        const entry = entryContext(actor, 'reopened', context, reason)
        const alongWith = vorfrist?.evidence?.type === 'hauptfrist' ? [vorfrist] : []
        const hauptfrist =
          current.frist_type === 'vorfrist' && chain.hauptfrist !== null
            ? await store.find(actor.workspace_id, chain.hauptfrist)
            : undefined
        const along = hauptfrist && movedAlong({ ...current, ...open }, hauptfrist.due_at, actor, context)
        const moved = along?.due_at
          ? `; fällig ${germanMoment(current.due_at, context.timeZone)} → ${germanMoment(along.due_at, context.timeZone)}`
          : ''
        const ended = await endedRequest(current)
        const until = ended?.requested_until ?? ''
        const terms = {
          days: vorfrist?.follows_days ?? defaultVorfristDays,
          onWorkingDay: vorfrist?.on_working_day ?? false,
        }
        const added = ended
          ? provisionalSteps(
              { ...current, ...open },
              { until, before: vorfristDue(until, terms, context), ...terms },
              entryContext(actor, 'created', context),
            )
          : []
        const extension = ended && { ...ended, provisional_id: (added[0] as DeadlineStep).after.id }
        const requested = ended
          ? `; die bis ${germanMoment(until, context.timeZone)} beantragte Verlängerung ist wieder vorläufig eingetragen`
          : ''
        return {
          added,
          steps: [
            nextStep(current, { ...open, ...along, ...(extension && { extension }) }, entry),
            ...alongWith.map((one) => nextStep(one, open, entry)),
          ],
          timeline: timelineOf(
            actor,
            current,
            'deadline.reopened',
            `Erledigung der ${titled(current)} zurückgenommen: ${reason}${moved}${requested}`,
          ),
        }
      }),
  }
}

/** The evidence without the fields that were not given. */
function evidenceOf(
  { evidence: { receipt_at: givenReceipt, checked_by, ...given } }: CompletionInput,
  acknowledgedAt: string | undefined,
): Evidence {
  const receipt_at = givenReceipt ?? acknowledgedAt
  return { ...given, ...(receipt_at && { receipt_at }), ...(checked_by && { checked_by }) }
}

const withHauptfrist: Evidence = { type: 'hauptfrist' }

const evidenceInGerman: Record<CompletionInput['evidence']['type'], string> = {
  document: 'Nachweis: Dokument',
  bea_receipt: 'Nachweis: beA-Eingangsbestätigung',
  note: 'Nachweis: Vermerk',
}

function notAcknowledged(): Failure {
  return conflict(
    'BEA_RECEIPT_MISSING',
    'The network has not acknowledged this message yet. Synchronise the account, and try again.',
  )
}

function notCompleted(): Failure {
  return conflict('DEADLINE_NOT_COMPLETED', 'This deadline is not completed.')
}

function ownCompletion(): Failure {
  return new Failure(
    'forbidden',
    'DUAL_CONTROL_REQUIRED',
    'You completed this deadline: another user must check the outgoing post.',
  )
}
