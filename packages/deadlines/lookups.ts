import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { type Failure, invalid, notFound, required } from '#kernel/failure.ts'
import { willAnswer } from '#kernel/idempotency.ts'
import type { PageOut } from '#kernel/page.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { entryOf, type TimelineEntry } from '#timeline/schema.ts'
import type { EntryContext } from './history.ts'
import type {
  Chain,
  DeadlineCases,
  DeadlineChange,
  DeadlineRecord,
  DeadlineStore,
  DeadlineUsers,
  DeadlineWorkspaces,
  EvidenceSources,
  Provisional,
  WorkspaceSettings,
} from './ports.ts'
import type { Deadline } from './schema.ts'
import type { FristType } from './type-schema.ts'
import { aloneInChain, deadlineView, type ViewContext } from './views.ts'

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

  const viewContextOf = async (actor: Actor): Promise<ViewContext & { settings: WorkspaceSettings }> => {
    const settings = await settingsOf(actor)
    return { timeZone: settings.time_zone, now: clock.now(), settings }
  }

  /** Changes a deadline that passes the precondition. @throws as `store.change`, and what the precondition throws */
  const changeSeen = <Answer>(
    { actor, id, precondition, context }: SeenDeadline,
    answerOf: (written: Written) => Answer,
    decide: Decide,
  ): Promise<Answer> =>
    store.change(
      actor.workspace_id,
      id,
      (current, chain, vorfrist, provisional) => {
        precondition(deadlineView(current, chain, context))
        return decide(current, { context, chain, vorfrist, provisional })
      },
      answerOf,
    )

  return {
    /** @throws Failure WORKSPACE_NOT_FOUND */
    settingsOf,
    viewContextOf,
    changeSeen,

    /** The same, answered with the deadline, as it is said before it is written (G14). */
    async changeShown(
      actor: Actor,
      id: string,
      precondition: Precondition<Deadline>,
      decide: Decide,
    ): Promise<Deadline> {
      const context = await viewContextOf(actor)
      return changeSeen({ actor, id, precondition, context }, answerIn(context), decide)
    },

    /** @throws Failure DEADLINE_NOT_FOUND */
    async requireDeadline(actor: Actor, id: string): Promise<DeadlineRecord> {
      return required(await store.find(actor.workspace_id, id), 'DEADLINE_NOT_FOUND')
    },

    /** The deadlines with their chains, as the deadlines interface shows them. */
    async deadlineViews(actor: Actor, records: DeadlineRecord[], context: ViewContext): Promise<Deadline[]> {
      const chains = await store.chains(
        actor.workspace_id,
        records.map(({ chain_id }) => chain_id),
      )
      return records.map((record) =>
        deadlineView(record, chains.get(record.chain_id) ?? aloneInChain(record), context),
      )
    },

    /** The name of a user who can get tasks. @throws Failure USER_NOT_FOUND, also for a deactivated user */
    async requireUser(actor: Actor, userId: string): Promise<string> {
      if (userId === actor.user_id) return actor.user_name
      const user = await users.find(actor.workspace_id, userId)
      if (!user?.active) throw notFound('USER_NOT_FOUND')
      return user.name
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

    timelineEntryOf: (actor: Actor, id: string, type: string, summary: string): TimelineEntry =>
      entryOf(clock, actor, { type, summary, ref: { type: 'deadline', id } }),

    entryContext: (
      actor: Actor,
      action: EntryContext['action'],
      { timeZone }: ViewContext,
      reason?: string | null,
    ): EntryContext => ({ at: timestamp(clock), actor, action, reason, timeZone }),
  }
}

/** The answer to a request that changes one deadline, made before the change is written (G14). */
export function answerIn(context: ViewContext) {
  return ({ deadline, chain }: Written): Deadline => willAnswer(deadlineView(deadline, chain, context))
}

/** A deadline that somebody changes as they saw it. */
type SeenDeadline = {
  actor: Actor
  id: string
  precondition: Precondition<Deadline>
  context: ViewContext
}

/** The records that a change will write. */
export type Written = { deadline: DeadlineRecord; chain: Chain }

/** The change of a deadline; undefined if nothing changes. Of a Hauptfrist with its Vorfrist. */
type Decide = (
  current: DeadlineRecord,
  beside: {
    context: ViewContext
    chain: Chain
    vorfrist: DeadlineRecord | undefined
    provisional: Provisional | undefined
  },
) => Promise<DeadlineChange | undefined> | DeadlineChange | undefined

/** A refusal of one field of the body. */
export function refused(path: string, message: string): Failure {
  return invalid(`The request is not valid: see ${path}.`, [{ path, message }])
}
