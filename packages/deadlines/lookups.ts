import type { Region } from '#german-time/regions.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { type Failure, invalid, required, requiredActive } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { PageOut } from '#kernel/page.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { type CaseTimelineEntry, entryOf } from '#timeline/schema.ts'
import { aloneInChain } from './chain-schema.ts'
import { nachfristWarnings, vorfristWarnings } from './due-warnings.ts'
import type { EntryContext } from './history.ts'
import type {
  Chain,
  DeadlineCases,
  DeadlineChange,
  DeadlineDecision,
  DeadlineRecord,
  DeadlineStep,
  DeadlineStore,
  DeadlineUsers,
  DeadlineWorkspaces,
  EvidenceSources,
  RelatedRecords,
  WorkspaceSettings,
} from './ports.ts'
import type { Deadline } from './schema.ts'
import { fristNames } from './summaries.ts'
import type { FristType } from './type-schema.ts'
import { deadlineView, type ViewContext, viewAfter } from './views.ts'

/** The dependencies of the deadline use cases. */
export type DeadlineDeps = {
  store: DeadlineStore
  workspaces: DeadlineWorkspaces
  users: DeadlineUsers
  cases: DeadlineCases
  evidence: EvidenceSources
  pageOut: PageOut
  clock: Clock
}

/** Lookups and checks that several use cases share. */
export function lookups({ store, workspaces, users, clock }: DeadlineDeps) {
  const settingsOf = async (actor: Actor): Promise<WorkspaceSettings> => {
    return required(await workspaces.find(actor.workspace_id), 'WORKSPACE_NOT_FOUND')
  }

  const viewContextOf = async (actor: Actor): Promise<WorkspaceContext> => {
    const settings = await settingsOf(actor)
    return { timeZone: settings.time_zone, region: settings.holiday_region, now: clock.now(), settings }
  }

  /** Changes a deadline that passes the precondition. @throws as `store.change`, and what the precondition throws */
  const changeIf = async <Answer>(
    actor: Actor,
    id: string,
    precondition: Precondition<Deadline>,
    decide: Decide<DeadlineDecision<Answer>>,
  ): Promise<Answered<Answer>> => {
    const context = await viewContextOf(actor)
    return store.change(actor.workspace_id, id, (current, related) => {
      precondition(deadlineView(current, related.chain, context))
      return decide(current, { ...related, context })
    })
  }

  return {
    /** @throws Failure WORKSPACE_NOT_FOUND */
    settingsOf,
    viewContextOf,
    changeIf,

    /** Like `changeIf`, but answers with the deadline. Nothing changes if `decide` returns undefined. */
    changeAndShow: (
      actor: Actor,
      id: string,
      precondition: Precondition<Deadline>,
      decide: Decide<Omit<DeadlineChange<Deadline>, 'answer'> | undefined>,
    ): Promise<Answered<Deadline>> =>
      changeIf(actor, id, precondition, async (current, related) => {
        const { chain, context } = related
        const change = await decide(current, related)
        return change === undefined
          ? { answer: deadlineView(current, chain, context) }
          : { ...change, answer: viewAfter(change.steps, chain, context) }
      }),

    /** @throws Failure DEADLINE_NOT_FOUND */
    async requireDeadline(actor: Actor, id: string): Promise<DeadlineRecord> {
      return required(await store.find(actor.workspace_id, id), 'DEADLINE_NOT_FOUND')
    },

    /** The deadlines with their chains, as the deadlines interface shows them. */
    async deadlineViews(actor: Actor, records: DeadlineRecord[], context: ViewContext): Promise<Deadline[]> {
      const ids = records.map(({ chain_id }) => chain_id)
      const chains = await store.chains(actor.workspace_id, ids)
      return records.map((record) =>
        deadlineView(record, chains.get(record.chain_id) ?? aloneInChain(record), context),
      )
    },

    /**
     * The name of a user who can get tasks.
     *
     * @param path the place of the id in the request
     * @throws Failure USER_NOT_FOUND, also for a deactivated user
     */
    async requireUser(actor: Actor, userId: string, path: string): Promise<string> {
      if (userId === actor.user_id) return actor.user_name
      return requiredActive(await users.find(actor.workspace_id, userId), path, userId).name
    },

    /**
     * Checks the order of a chain: a Vorfrist is not due after its Hauptfrist, a Nachfrist not before it. The
     * Hauptfrist itself is never checked: the law sets its time, and it must always be possible to correct it.
     *
     * @throws Failure VALIDATION_ERROR
     */
    async requireOrder(
      actor: Actor,
      { frist_type, due_at }: { frist_type: FristType; due_at: string },
      chain: Chain,
    ): Promise<void> {
      if (frist_type === 'hauptfrist' || chain.hauptfrist === null) return
      const hauptfrist = await store.find(actor.workspace_id, chain.hauptfrist)
      if (hauptfrist === undefined) return
      if (frist_type === 'vorfrist' && due_at > hauptfrist.due_at)
        throw refused('body.due_at', 'A Vorfrist must not be due after its Hauptfrist.')
      if (frist_type === 'nachfrist' && due_at < hauptfrist.due_at)
        throw refused('body.due_at', 'A Nachfrist must not be due before its Hauptfrist.')
    },

    /**
     * German warnings about the Vorfrist and the Nachfrist of a chain that do not move with this Hauptfrist, and are on
     * the wrong side of its due time. For another kind of deadline there are none.
     */
    async chainWarnings(
      actor: Actor,
      hauptfrist: { frist_type: FristType; due_at: string },
      { vorfrist, nachfrist }: Pick<Chain, 'vorfrist' | 'nachfrist'>,
      { timeZone }: ViewContext,
    ): Promise<string[]> {
      if (hauptfrist.frist_type !== 'hauptfrist') return []
      const found = (id: string | null) => (id === null ? undefined : store.find(actor.workspace_id, id))
      const [before, after] = await Promise.all([found(vorfrist), found(nachfrist)])
      return [
        ...(before ? vorfristWarnings(hauptfrist, before, timeZone) : []),
        ...(after ? nachfristWarnings(hauptfrist, after, timeZone) : []),
      ]
    },

    /** German warnings about deadlines that these steps move and that external calendars show at the old time (K9). */
    async pushWarnings(actor: Actor, steps: readonly DeadlineStep[]): Promise<string[]> {
      const moved = steps.flatMap(({ before, after }) =>
        before === undefined || before.due_at === after.due_at ? [] : [after],
      )
      const pushed = await store.pushed(actor.workspace_id, idsOf(moved))
      return moved
        .filter(({ id }) => pushed.has(id))
        .map(
          ({ frist_type }) =>
            `Die ${fristNames[frist_type]} steht in einem externen Kalender noch zur alten Zeit: Sie muss erneut dorthin übertragen werden.`,
        )
    },

    timelineOf: (
      actor: Actor,
      { case_id, id }: Pick<DeadlineRecord, 'case_id' | 'id'>,
      type: string,
      summary: string,
    ): CaseTimelineEntry[] => [
      { case_id, entry: entryOf(clock, actor, { type, summary, ref: { type: 'deadline', id } }) },
    ],

    entryContext: (
      actor: Actor,
      action: EntryContext['action'],
      { timeZone }: ViewContext,
      reason?: string | null,
    ): EntryContext => ({ at: timestamp(clock), actor, action, reason, timeZone }),
  }
}

/** The inputs of views, and the settings of the workspace that due times depend on. */
type WorkspaceContext = ViewContext & { region: Region; settings: WorkspaceSettings }

/** Decides how a deadline changes, from the deadline and the records related to it. */
type Decide<Decision> = (
  current: DeadlineRecord,
  related: RelatedRecords & { context: WorkspaceContext },
) => Promise<Decision> | Decision

/** A refusal of one field of the body. */
export function refused(path: string, message: string): Failure {
  return invalid(`The request is not valid: see ${path}.`, [{ path, message }])
}
