import { isOver } from '#german-time/time-limit.ts'
import type { Actor } from '#kernel/actor.ts'
import { notFound, required, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { dueOf, sameSecond } from './basis.ts'
import { aloneInChain } from './chain-schema.ts'
import { dueWarnings, eventWarnings } from './due-warnings.ts'
import { firstStep } from './history.ts'
import { untouched } from './history-schema.ts'
import { type DeadlineDeps, lookups, refused } from './lookups.ts'
import type { Chain, DeadlineChange, DeadlineRecord, DeadlineSteps } from './ports.ts'
import { requireFinal } from './provisional.ts'
import { type DeadlineInput, defaultVorfristDays, type EnteredDeadline } from './schema.ts'
import { createdSummary } from './summaries.ts'
import { viewAfter } from './views.ts'
import { vorfristDue, vorfristTitle } from './vorfrist.ts'

/** Entering deadlines, with a Vorfrist or into a chain (F1 to F3). */
export function enteringDeadlines(deps: DeadlineDeps) {
  const { store, cases } = deps
  const { viewContextOf, requireUser, requireOrder, chainWarnings, timelineOf, entryContext } = lookups(deps)

  /** The id of the chain that a new deadline joins: `chain_id`, or the chain of `hauptfrist_id`. */
  const chainToJoin = async (
    actor: Actor,
    { hauptfrist_id, chain_id }: DeadlineInput,
  ): Promise<string | undefined> => {
    if (!hauptfrist_id) return chain_id ?? undefined
    const found = await store.find(actor.workspace_id, hauptfrist_id)
    const hauptfrist = required(found, 'DEADLINE_NOT_FOUND', unknownAt('body.hauptfrist_id', hauptfrist_id))
    if (hauptfrist.frist_type !== 'hauptfrist')
      throw refused('body.hauptfrist_id', 'This is not a Hauptfrist.')
    return hauptfrist.chain_id
  }

  /** Throws if a new deadline does not fit into this chain in its current state. */
  const requireFit = async (
    actor: Actor,
    input: Pick<DeadlineInput, 'case_id' | 'frist_type' | 'hauptfrist_id'> & { due_at: string },
    chain: Chain,
  ): Promise<void> => {
    const { case_id, frist_type, due_at, hauptfrist_id } = input
    // The Hauptfrist was struck after it was read.
    if (hauptfrist_id && chain.hauptfrist !== hauptfrist_id) throw notFound('DEADLINE_NOT_FOUND')
    if (!(await cases.exists(actor.workspace_id, case_id)))
      throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', case_id))
    if (chain.case_id !== case_id) throw refused('body.case_id', 'The chain belongs to another case.')
    const { hauptfrist } = chain
    const joined = hauptfrist === null ? undefined : await store.find(actor.workspace_id, hauptfrist)
    // A provisional deadline is struck when the court answers. Then nobody would strike a deadline in its chain.
    if (joined !== undefined) requireFinal(joined)
    await requireOrder(actor, { frist_type, due_at }, chain)
  }

  return {
    /**
     * Enters a deadline, with its Vorfrist if requested: both or neither. With `hauptfrist_id` or `chain_id` it joins a
     * chain, where its place must be free. A calculation is kept as the basis of the due time (F13).
     *
     * @throws Failure CASE_NOT_FOUND; USER_NOT_FOUND; DEADLINE_NOT_FOUND for an unknown Hauptfrist or chain;
     *   CHAIN_OCCUPIED; DEADLINE_PROVISIONAL for the chain of a provisional deadline; DUE_DATE_MISMATCH
     * @throws Failure VALIDATION_ERROR for a `hauptfrist_id` of another kind, a chain of another case, and a Vorfrist
     *   due after its Hauptfrist or a Nachfrist due before it
     */
    async create(actor: Actor, input: DeadlineInput): Promise<Answered<EnteredDeadline>> {
      const { workspace_id } = actor
      const context = await viewContextOf(actor)
      const assigned_to = input.assigned_to ?? actor.user_id
      await requireUser(actor, assigned_to, 'body.assigned_to')
      const due = dueOf(input, context.settings)
      if (due === undefined) throw refused('body.due_at', 'Either `due_at` or `calculation` is required.')
      const onWorkingDay = input.frist_type === 'vorfrist' && input.vorfrist_on_working_day
      const due_at = onWorkingDay ? vorfristDue(due.due_at, { days: 0, onWorkingDay }, context) : due.due_at
      // A Vorfrist that was moved is not the result of its calculation.
      const basis = sameSecond(due_at, due.due_at) ? due.basis : null
      const category = input.category ?? due.category ?? 'other'
      const vorfristDays = input.vorfrist_days ?? defaultVorfristDays

      // Each attempt builds the change again: its time must not be before a change made between two attempts.
      const changeFor = (
        chain_id: string,
        chain?: Chain,
        warningsOfChain: string[] = [],
      ): DeadlineChange<EnteredDeadline> => {
        const created = entryContext(actor, 'created', context)
        const deadline = {
          workspace_id,
          id: newId('event'),
          title: input.title,
          case_id: input.case_id,
          frist_type: input.frist_type,
          due_at,
          category,
          basis,
          assigned_to,
          chain_id,
          follows_days: null,
          on_working_day: onWorkingDay,
          created_by: actor.user_id,
          created_at: created.at,
          due_set_by: actor.user_id,
          case_deleted_at: null,
          ...untouched,
        }
        const vorfrist = {
          ...deadline,
          id: newId('event'),
          title: vorfristTitle(input.title),
          frist_type: 'vorfrist' as const,
          due_at: vorfristDue(
            due_at,
            { days: vorfristDays, onWorkingDay: input.vorfrist_on_working_day },
            context,
          ),
          basis: null,
          follows_days: vorfristDays,
          on_working_day: input.vorfrist_on_working_day,
        }
        const steps: DeadlineSteps = [
          firstStep(deadline, created),
          ...(input.create_vorfrist ? [firstStep(vorfrist, created)] : []),
        ]
        const summary = createdSummary(steps[0].after, steps[1]?.after, context.timeZone)
        const entered = steps.map(({ after }) => after)
        const hasVorfrist = input.create_vorfrist || (chain?.vorfrist ?? null) !== null
        const isTooLate = isOver(vorfrist.due_at, context.now)
        const warnings = [
          ...eventWarnings(basis, context),
          ...dueWarnings(entered, context),
          ...warningsOfChain,
          ...(hasVorfrist || isTooLate ? [] : missingVorfrist(deadline)),
        ]
        return {
          steps,
          timeline: timelineOf(actor, deadline, 'deadline.created', summary),
          answer: { ...viewAfter(steps, chain ?? aloneInChain(steps[0].after), context), warnings },
        }
      }

      const chainId = await chainToJoin(actor, input)
      if (chainId === undefined) return store.add(changeFor(newId('chain')))
      return store.join(workspace_id, chainId, async (chain) => {
        await requireFit(actor, { ...input, due_at }, chain)
        const warningsOfChain = await chainWarnings(
          actor,
          { frist_type: input.frist_type, due_at },
          chain,
          context,
        )
        return changeFor(chain.id, chain, warningsOfChain)
      })
    },
  }
}

/** A German warning if a deadline for the reasons of a remedy has no Vorfrist, which the courts require. */
function missingVorfrist({
  frist_type,
  category,
}: Pick<DeadlineRecord, 'frist_type' | 'category'>): string[] {
  if (frist_type !== 'hauptfrist' || category !== 'begruendung') return []
  return [
    'Es ist keine Vorfrist eingetragen: Für die Begründung eines Rechtsmittels verlangt der BGH eine von etwa einer Woche (XII ZB 418/22).',
  ]
}
