import { localDateOf, sameLocalTimeDaysBefore, withOffset } from '#german-time/local-time.ts'
import { dayAfter, dueInstant, rangeOf, startOfLocalDay } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, invalid, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import { beginningOf } from '#kernel/text.ts'
import { entryOf, type TimelineEntry } from '#timeline/schema.ts'
import { type Calculation, calculate } from './calculate.ts'
import { type CalculationBody, calculationInput } from './calculation-schema.ts'
import { firstStep, isIntact, nextStep, type Occasion } from './history.ts'
import {
  type Chain,
  type DeadlineCases,
  type DeadlineChange,
  type DeadlineOffice,
  type DeadlineRecord,
  type DeadlineState,
  type DeadlineStep,
  type DeadlineStore,
  type DeadlineUsers,
  type DueQuery,
  deadlineStates,
  type EvidenceSources,
  type OfficeSettings,
} from './ports.ts'
import { type Preset, presets } from './presets.ts'
import { registerOf } from './register.ts'
import {
  type CompletionInput,
  type Deadline,
  type DeadlineChain,
  type DeadlineChanges,
  type DeadlineHistory,
  type DeadlineInput,
  type DeadlineQuery,
  type Frist,
  type FristChain,
  type FristQuery,
  type FristType,
  fristTypes,
  type PresetQuery,
  type Register,
} from './schema.ts'
import { changedSummary, createdSummary, germanMoment, titled } from './summaries.ts'
import { chainView, deadlineView, fristView, type Seen } from './views.ts'

export type DeadlineService = ReturnType<typeof deadlineService>

type RegisterRequest = { date?: string | undefined; limit?: number | undefined; cursor?: string | undefined }

/** Throws where the request was made for another state of the deadline than this one. */
type Precondition = (current: Deadline) => void

/** Entering, watching, verifying, changing, completing and striking deadlines (F1 to F12). */
export function deadlineService(world: {
  store: DeadlineStore
  office: DeadlineOffice
  users: DeadlineUsers
  cases: DeadlineCases
  evidence: EvidenceSources
  pageOut: PageOut
  clock: Clock
}) {
  const { store, office, users, cases, evidence, pageOut, clock } = world

  const settingsOf = async (actor: Actor): Promise<OfficeSettings> => {
    const settings = await office.find(actor.workspace_id)
    if (settings === undefined) throw notFound('WORKSPACE_NOT_FOUND')
    return settings
  }

  const seenIn = async (actor: Actor): Promise<Seen> => ({
    timeZone: (await settingsOf(actor)).time_zone,
    now: clock.now(),
  })

  const found = async (actor: Actor, id: string): Promise<DeadlineRecord> => {
    const record = await store.find(actor.workspace_id, id)
    if (record === undefined) throw notFound('DEADLINE_NOT_FOUND')
    return record
  }

  /** The name of a user who can be given something to do: one who was deactivated is as if not there. */
  const requireUser = async (actor: Actor, userId: string): Promise<string> => {
    if (userId === actor.user_id) return actor.user_name
    const user = await users.find(actor.workspace_id, userId)
    if (!user?.active) throw notFound('USER_NOT_FOUND')
    return user.name
  }

  /** The one to whom the verification is left alone; nobody where the delegate was deactivated since. */
  const bindingDelegate = async ({ workspace_id, delegation }: DeadlineRecord) => {
    if (delegation === null) return undefined
    const user = await users.find(workspace_id, delegation.delegated_to)
    return user?.active ? delegation.delegated_to : undefined
  }

  /** The deadlines with their chains, as the deadlines interface shows them. */
  const shown = async (actor: Actor, records: DeadlineRecord[], seen: Seen): Promise<Deadline[]> => {
    const chains = await store.chains(
      actor.workspace_id,
      records.map(({ chain_id }) => chain_id),
    )
    return records.map((record) =>
      deadlineView(record, chains.get(record.chain_id) ?? aloneInChain(record), seen),
    )
  }

  const membersOf = async (actor: Actor, record: DeadlineRecord): Promise<DeadlineRecord[]> => {
    const chain = (await store.chains(actor.workspace_id, [record.chain_id])).get(record.chain_id)
    const others = fristTypes
      .map((type) => chain?.[type])
      .filter((id): id is string => typeof id === 'string' && id !== record.id)
    return [record, ...(await store.findAll(actor.workspace_id, others))]
  }

  const timelineOf = (actor: Actor, id: string, type: string, summary: string): TimelineEntry =>
    entryOf(clock, actor, { type, summary, ref: { type: 'deadline', id } })

  const occasion = (actor: Actor, action: Occasion['action'], { timeZone }: Seen): Occasion => ({
    at: timestamp(clock),
    actor,
    action,
    timeZone,
  })

  const listed = async <View>(
    actor: Actor,
    list: readonly unknown[],
    query: DueQuery,
    request: PageRequest,
    show: (records: DeadlineRecord[]) => Promise<View[]> | View[],
  ): Promise<Page<View>> => {
    const { data, pagination } = await store.page(actor.workspace_id, list, query, request)
    return { data: await show(data), pagination }
  }

  const verifyRecord = async (actor: Actor, id: string, seen: Seen, precondition: Precondition) =>
    store.change(actor.workspace_id, id, async (current, chain) => {
      precondition(deadlineView(current, chain, seen))
      if (current.verified_by !== null) return undefined
      requireSecondPerson(current, await bindingDelegate(current), actor)
      const verified = { verified_by: actor.user_id, verified_at: timestamp(clock) }
      return {
        steps: [nextStep(current, verified, occasion(actor, 'verified', seen))],
        timelineEntry: timelineOf(
          actor,
          id,
          'deadline.verified',
          `${titled(current)} geprüft (Vier-Augen-Prinzip)`,
        ),
      }
    })

  return {
    /**
     * Deadlines by due time, soonest first: from now on, unless `from` or `status` say otherwise (F7).
     *
     * @throws Failure INVALID_DATE_RANGE
     */
    async list(actor: Actor, query: DeadlineQuery): Promise<Page<Deadline>> {
      const { status, case_id, assigned_to, from, to, ...request } = query
      const seen = await seenIn(actor)
      const range = rangeOf({ from, to }, seen.timeZone)
      const now = seen.now.toISOString()
      const upcoming = from === undefined ? { ...range, from: now } : range
      const wanted =
        status === undefined
          ? { states: unstruck, ...upcoming }
          : { states: statesOf.deadline[status], ...narrowed(status, range, now) }
      return listed(
        actor,
        ['deadlines', status, case_id, assigned_to, from, to],
        { ...wanted, case_id, assigned_to },
        request,
        (records) => shown(actor, records, seen),
      )
    },

    /** Deadlines that are neither verified nor completed, by due time, past ones included (F7). */
    async unverified(actor: Actor, request: PageRequest): Promise<Page<Deadline>> {
      const seen = await seenIn(actor)
      return listed(actor, ['unverified'], { states: ['open'] }, request, (records) =>
        shown(actor, records, seen),
      )
    },

    /** The Fristen view of the same list, past ones included (F7). @throws Failure INVALID_DATE_RANGE */
    async listFristen(actor: Actor, query: FristQuery): Promise<Page<Frist>> {
      const { status, case_id, assigned_to, from, to, ...request } = query
      const seen = await seenIn(actor)
      const range = rangeOf({ from, to }, seen.timeZone)
      return listed(
        actor,
        ['fristen', status, case_id, assigned_to, from, to],
        {
          states: statesOf.frist[status],
          ...narrowed(status, range, seen.now.toISOString()),
          case_id,
          assigned_to,
        },
        request,
        (records) => records.map((record) => fristView(record, seen)),
      )
    },

    /**
     * Enters a deadline, with its Vorfrist if so asked, both or neither (F1 to F3).
     *
     * `hauptfrist_id` or `chain_id` has it join a chain, in which its place must be free.
     *
     * @throws Failure CASE_NOT_FOUND, USER_NOT_FOUND, DEADLINE_NOT_FOUND (of the Hauptfrist or the chain),
     * CHAIN_OCCUPIED, VALIDATION_ERROR for a Hauptfrist that is none, a chain of another case, and a Vorfrist due
     * after its Hauptfrist or a Nachfrist due before it
     */
    async create(actor: Actor, input: DeadlineInput): Promise<Deadline> {
      const { workspace_id } = actor
      const seen = await seenIn(actor)
      const assigned_to = input.assigned_to ?? actor.user_id
      await requireUser(actor, assigned_to)
      const due_at = dueInstant(input.due_at, seen.timeZone)
      // Made per attempt: what it tells of is then not earlier than what happened between two of them.
      const entered = (chain_id: string): DeadlineChange => {
        const created = occasion(actor, 'created', seen)
        const deadline = {
          workspace_id,
          id: newId('event'),
          title: input.title,
          case_id: input.case_id,
          frist_type: input.frist_type,
          due_at,
          assigned_to,
          chain_id,
          follows_days: null,
          created_by: actor.user_id,
          created_at: created.at,
          due_set_by: actor.user_id,
          verified_by: null,
          verified_at: null,
          delegation: null,
          completed_at: null,
          completed_by: null,
          evidence: null,
          struck_at: null,
          struck_by: null,
        }
        const vorfrist = {
          ...deadline,
          id: newId('event'),
          title: vorfristTitle(input.title),
          frist_type: 'vorfrist' as const,
          due_at: daysBefore(due_at, input.vorfrist_days, seen.timeZone),
          follows_days: input.vorfrist_days,
        }
        const steps: DeadlineChange['steps'] = [
          firstStep(deadline, created),
          ...(input.create_vorfrist ? [firstStep(vorfrist, created)] : []),
        ]
        const summary = createdSummary(steps[0].after, steps[1]?.after, seen.timeZone)
        return { steps, timelineEntry: timelineOf(actor, deadline.id, 'deadline.created', summary) }
      }
      const chainId = await chainToJoin(actor, input)
      if (chainId === undefined) {
        const { steps, timelineEntry } = entered(newId('chain'))
        await store.add(steps, timelineEntry)
        const [{ after }] = steps
        return deadlineView(after, chainWith(aloneInChain(after), steps), seen)
      }
      let joined: Chain | undefined
      const record = await store.join(workspace_id, chainId, async (chain) => {
        await requireFit(actor, { ...input, due_at }, chain)
        const change = entered(chain.id)
        joined = chainWith(chain, change.steps)
        return change
      })
      return deadlineView(record, joined ?? aloneInChain(record), seen)
    },

    /** @throws Failure DEADLINE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Deadline> {
      const [seen, record] = await Promise.all([seenIn(actor), found(actor, id)])
      const [view] = await shown(actor, [record], seen)
      return view as Deadline
    },

    /**
     * Changes what is included. Another due time clears the verification, and a Vorfrist that was made with the
     * Hauptfrist moves along, unless its own due time was set by hand or it is completed (F2, F5, F9). A Vorfrist
     * cannot be moved past its Hauptfrist, nor a Nachfrist before it; a Hauptfrist can always be moved, whatever
     * stands around it, since a wrong one must never stay for the sake of the others.
     *
     * @throws Failure DEADLINE_NOT_FOUND, USER_NOT_FOUND, DEADLINE_COMPLETED, PRECONDITION_FAILED, VALIDATION_ERROR
     */
    async change(
      actor: Actor,
      id: string,
      changes: DeadlineChanges,
      precondition: Precondition,
    ): Promise<Deadline> {
      const seen = await seenIn(actor)
      const changed = await store.change(actor.workspace_id, id, async (current, chain, vorfrist) => {
        precondition(deadlineView(current, chain, seen))
        const { title = current.title, assigned_to = current.assigned_to } = changes
        const assignee =
          assigned_to === current.assigned_to ? undefined : await requireUser(actor, assigned_to)
        const due_at = changes.due_at && dueInstant(changes.due_at, seen.timeZone)
        const moves = due_at !== undefined && !sameSecond(due_at, current.due_at)
        if (title === current.title && assignee === undefined && !moves) return undefined
        if (moves && current.completed_at !== null) {
          throw new Failure(
            'conflict',
            'DEADLINE_COMPLETED',
            'This deadline is completed: its due time stays. Enter a new deadline for a new time.',
          )
        }
        if (moves) await requireOrder(actor, { frist_type: current.frist_type, due_at }, chain)

        const what = occasion(actor, 'changed', seen)
        const set = { title, assigned_to }
        const steps: [DeadlineStep, ...DeadlineStep[]] = [
          nextStep(
            current,
            moves ? { ...set, ...movedTo(current, due_at, actor), follows_days: null } : set,
            what,
          ),
        ]
        if (vorfrist && follows(vorfrist)) {
          const along = followed(vorfrist, current, { title, assigned_to })
          const before = moves && daysBefore(due_at, vorfrist.follows_days, seen.timeZone)
          const withDue =
            before && !sameSecond(before, vorfrist.due_at)
              ? { ...along, ...movedTo(vorfrist, before, actor) }
              : along
          if (Object.keys(withDue).length > 0) steps.push(nextStep(vorfrist, withDue, what))
        }
        return {
          steps,
          timelineEntry: timelineOf(
            actor,
            id,
            'deadline.changed',
            changedSummary(steps, assignee, seen.timeZone),
          ),
        }
      })
      return deadlineView(changed.deadline, changed.chain, seen)
    },

    /** Strikes a deadline, a Hauptfrist with its Vorfrist (F8). @throws Failure DEADLINE_NOT_FOUND, PRECONDITION_FAILED */
    async strike(actor: Actor, id: string, precondition: Precondition): Promise<void> {
      const seen = await seenIn(actor)
      await store.change(actor.workspace_id, id, (current, chain, vorfrist) => {
        precondition(deadlineView(current, chain, seen))
        const struck = { struck_at: timestamp(clock), struck_by: actor.user_id }
        const what = occasion(actor, 'struck', seen)
        const summary = `${titled(current)} zum ${germanMoment(current.due_at, seen.timeZone)} gestrichen${vorfrist ? ', mit ihrer Vorfrist' : ''}`
        return {
          steps: [nextStep(current, struck, what), ...(vorfrist ? [nextStep(vorfrist, struck, what)] : [])],
          timelineEntry: timelineOf(actor, id, 'deadline.struck', summary),
        }
      })
    },

    /** @throws Failure DEADLINE_NOT_FOUND */
    async chain(actor: Actor, id: string): Promise<DeadlineChain> {
      const [seen, record] = await Promise.all([seenIn(actor), found(actor, id)])
      return chainView(await membersOf(actor, record), seen)
    },

    /** @throws Failure DEADLINE_NOT_FOUND */
    async fristChain(actor: Actor, id: string): Promise<FristChain> {
      const [seen, record] = await Promise.all([seenIn(actor), found(actor, id)])
      const members = await membersOf(actor, record)
      return {
        chain_id: record.chain_id,
        data: members
          .toSorted((one, other) => (`${one.due_at}${one.id}` < `${other.due_at}${other.id}` ? -1 : 1))
          .map((member) => fristView(member, seen)),
      }
    },

    /**
     * Records the second pair of eyes; a deadline that is verified stays as it is (F5).
     *
     * @throws Failure DEADLINE_NOT_FOUND, DUAL_CONTROL_REQUIRED, DELEGATED_TO_OTHER, PRECONDITION_FAILED where it
     * is not what the verifier has looked at
     */
    async verify(actor: Actor, id: string, precondition: Precondition): Promise<Deadline> {
      const seen = await seenIn(actor)
      const { deadline, chain } = await verifyRecord(actor, id, seen, precondition)
      return deadlineView(deadline, chain, seen)
    },

    /** The same for the Fristen view. @throws as `verify` */
    async verifyFrist(actor: Actor, id: string, precondition: Precondition): Promise<Frist> {
      const seen = await seenIn(actor)
      return fristView((await verifyRecord(actor, id, seen, precondition)).deadline, seen)
    },

    /**
     * Leaves the verification to one user alone (F6). What is verified or completed stays as it is.
     *
     * @throws Failure DEADLINE_NOT_FOUND, USER_NOT_FOUND, DUAL_CONTROL_REQUIRED (409), DELEGATED_TO_OTHER where
     * the caller has no part in the delegation that stands, PRECONDITION_FAILED
     */
    async delegate(actor: Actor, id: string, userId: string, precondition: Precondition): Promise<Deadline> {
      const seen = await seenIn(actor)
      const { deadline, chain } = await store.change(actor.workspace_id, id, async (current, before) => {
        precondition(deadlineView(current, before, seen))
        const name = await requireUser(actor, userId)
        if (current.verified_by !== null || current.completed_at !== null) return undefined
        requireConcerned(current, await bindingDelegate(current), actor)
        if (mayNotVerify(current, userId)) {
          throw new Failure(
            'conflict',
            'DUAL_CONTROL_REQUIRED',
            'This user entered the deadline or set its due time. Name another one.',
          )
        }
        if (current.delegation?.delegated_to === userId) return undefined
        const delegation = {
          delegated_to: userId,
          delegated_by: actor.user_id,
          delegated_at: timestamp(clock),
        }
        return {
          steps: [nextStep(current, { delegation }, occasion(actor, 'delegated', seen))],
          timelineEntry: timelineOf(
            actor,
            id,
            'deadline.delegated',
            `Prüfung der ${titled(current)} an ${name} übertragen`,
          ),
        }
      })
      return deadlineView(deadline, chain, seen)
    },

    /**
     * Records that the act was done, and what shows it; a completed deadline stays as it is (F9).
     *
     * @throws Failure DEADLINE_NOT_FOUND, DOCUMENT_NOT_FOUND, PRECONDITION_FAILED
     */
    async complete(
      actor: Actor,
      id: string,
      input: CompletionInput,
      precondition: Precondition,
    ): Promise<Deadline> {
      const seen = await seenIn(actor)
      const { deadline, chain } = await store.change(actor.workspace_id, id, async (current, before) => {
        precondition(deadlineView(current, before, seen))
        if (current.completed_at !== null) return undefined
        const shows = input.evidence
        if (
          shows.type === 'document' &&
          !(await evidence.documentExists(actor.workspace_id, shows.document_id))
        ) {
          throw notFound('DOCUMENT_NOT_FOUND')
        }
        const completed = { completed_at: timestamp(clock), completed_by: actor.user_id, evidence: shows }
        return {
          steps: [nextStep(current, completed, occasion(actor, 'completed', seen))],
          timelineEntry: timelineOf(
            actor,
            id,
            'deadline.completed',
            `${titled(current)} erledigt, ${evidenceInGerman[shows.type]}`,
          ),
        }
      })
      return deadlineView(deadline, chain, seen)
    },

    /** What happened to a deadline, oldest first, also to a struck one (F11). @throws Failure DEADLINE_NOT_FOUND */
    async history(actor: Actor, id: string, request: PageRequest): Promise<DeadlineHistory> {
      const record = await store.find(actor.workspace_id, id, { struckToo: true })
      if (record === undefined) throw notFound('DEADLINE_NOT_FOUND')
      const { data, pagination, previous } = await store.history(actor.workspace_id, id, request)
      const newest = data.at(-1) ?? previous
      // What was added since the record was read may be there already.
      const goesOn = pagination.has_more || (newest?.seq ?? 0) > record.history_seq
      const ends = newest?.seq === record.history_seq && newest.hash === record.history_hash
      return { data, pagination, intact: isIntact(data, previous) && (goesOn || ends) }
    },

    /** The control printout of a day of the workspace's calendar, today unless told (F12). */
    async register(actor: Actor, { date, limit, cursor }: RegisterRequest): Promise<Register> {
      const workspace = await settingsOf(actor)
      const seen = { timeZone: workspace.time_zone, now: clock.now() }
      const day = date ?? localDateOf(seen.now, seen.timeZone)
      const [from, until] = [day, dayAfter(day)].map((one) => startOfLocalDay(one, seen.timeZone))
      const { workspace_id } = actor
      const after = cursor && (await store.registerCursors.open(workspace_id, day, cursor))
      // In this order: what the journal tells of is then among what is due.
      const journal = await store.journal(actor.workspace_id, from as string, until as string)
      const due = await store.due(
        actor.workspace_id,
        { states: deadlineStates, from, until },
        { limit: mostDueOfADay },
      )
      const { next, register } = await registerOf(
        { day, workspace, seen, journal, due, after, limit },
        async (ids) => {
          const [userNames, titles, chains] = await Promise.all([
            users.names(actor.workspace_id, ids.users),
            cases.titles(actor.workspace_id, ids.cases),
            store.chains(actor.workspace_id, ids.chains),
          ])
          return { users: userNames, cases: titles, chains }
        },
      )
      const sealed = next === undefined ? null : await store.registerCursors.seal(workspace_id, day, next)
      return { ...register, pagination: { cursor: sealed, has_more: sealed !== null } }
    },

    /** The common periods of German procedure, which `calculate` takes by their keys (F10). */
    listPresets: (actor: Actor, { limit = presets.length, cursor }: PresetQuery): Promise<Page<Preset>> =>
      pageOut([actor.workspace_id, 'presets'], presets, { limit, cursor }, ({ key }) => key),

    /** When a period ends, and why; stores nothing (F10). @throws Failure VALIDATION_ERROR */
    async calculate(actor: Actor, body: CalculationBody): Promise<Calculation> {
      return calculate(calculationInput(body, await settingsOf(actor)))
    },
  }

  /** The id of the chain that a new deadline joins, named by itself or by its Hauptfrist. */
  async function chainToJoin(
    actor: Actor,
    { hauptfrist_id, chain_id }: DeadlineInput,
  ): Promise<string | undefined> {
    if (!hauptfrist_id) return chain_id ?? undefined
    const hauptfrist = await found(actor, hauptfrist_id)
    if (hauptfrist.frist_type !== 'hauptfrist')
      throw refused('body.hauptfrist_id', 'This is not a Hauptfrist.')
    return hauptfrist.chain_id
  }

  /** Throws where a new deadline has no business in this chain as it is now. */
  async function requireFit(
    actor: Actor,
    { case_id, frist_type, due_at, hauptfrist_id }: Omit<DeadlineInput, 'due_at'> & { due_at: string },
    chain: Chain,
  ): Promise<void> {
    // It was struck meanwhile.
    if (hauptfrist_id && chain.hauptfrist !== hauptfrist_id) throw notFound('DEADLINE_NOT_FOUND')
    if (!(await cases.exists(actor.workspace_id, case_id))) throw notFound('CASE_NOT_FOUND')
    if (chain.case_id !== case_id) throw refused('body.case_id', 'The chain belongs to another case.')
    await requireOrder(actor, { frist_type, due_at }, chain)
  }

  /**
   * Throws where a Vorfrist would be due after the Hauptfrist of its chain, or a Nachfrist before it. The
   * Hauptfrist itself is never held against the others: its time is what the law says, and nothing may stand in
   * the way of putting it right.
   */
  async function requireOrder(
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
  }
}

function refused(path: string, message: string): Failure {
  return invalid(`The request is not valid: see ${path}.`, [{ path, message }])
}

/** More than any office has; a bound that a Query can be given. */
const mostDueOfADay = 100_000

const unstruck = deadlineStates.filter((state) => state !== 'struck')

const evidenceInGerman: Record<CompletionInput['evidence']['type'], string> = {
  document: 'Nachweis: Dokument',
  bea_receipt: 'Nachweis: beA-Eingangsbestätigung',
  note: 'Nachweis: Vermerk',
}

/** Which states a status is found among, in either view (F4). */
const statesOf: Record<'deadline', Record<NonNullable<DeadlineQuery['status']>, readonly DeadlineState[]>> &
  Record<'frist', Record<FristQuery['status'], readonly DeadlineState[]>> = {
  deadline: { pending: ['open'], expired: ['open'], verified: ['verified'], completed: ['completed'] },
  frist: { open: ['open'], expired: ['open'], verified: ['verified', 'completed'], all: unstruck },
}

/** The range in which an open deadline has this status as of now; that of any other is as asked for. */
function narrowed(
  status: DeadlineQuery['status'] | FristQuery['status'],
  range: { from?: string; until?: string },
  now: string,
): { from?: string; until?: string } {
  const { from = now, until = now } = range
  if (status === 'pending' || status === 'open') return { ...range, from: from < now ? now : from }
  if (status === 'expired') return { ...range, until: until > now ? now : until }
  return range
}

/** What the Vorfrist of a Hauptfrist is called, no longer than a title may be. */
function vorfristTitle(title: string): string {
  return beginningOf(`Vorfrist: ${title}`, 500)
}

function daysBefore(due: string, days: number, timeZone: string): string {
  return sameLocalTimeDaysBefore(new Date(due), days, timeZone).toISOString()
}

/** Whether two times show alike (G6): sending back a time that was shown changes nothing. */
function sameSecond(one: string, other: string): boolean {
  return withOffset(new Date(one), 'UTC') === withOffset(new Date(other), 'UTC')
}

/** What another due time brings with it: nobody has checked it, and who set it cannot (F5, F6). */
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

function follows(vorfrist: DeadlineRecord): vorfrist is DeadlineRecord & { follows_days: number } {
  return vorfrist.follows_days !== null && vorfrist.completed_at === null
}

/** What a Vorfrist takes over of its Hauptfrist's new title and assignee: what it had of the old ones. */
function followed(
  vorfrist: DeadlineRecord,
  was: DeadlineRecord,
  { title, assigned_to }: { title: string; assigned_to: string },
): Partial<DeadlineRecord> {
  return {
    ...(title !== was.title &&
      vorfrist.title === vorfristTitle(was.title) && { title: vorfristTitle(title) }),
    ...(assigned_to !== was.assigned_to && vorfrist.assigned_to === was.assigned_to && { assigned_to }),
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

/** While a delegation stands, only those concerned may pass it on. */
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

function delegatedToOther(): Failure {
  return new Failure(
    'forbidden',
    'DELEGATED_TO_OTHER',
    'The verification was delegated to another user. They must verify it, or it must be delegated to you.',
  )
}

/** The chain with new deadlines in their places. */
function chainWith(chain: Chain, steps: readonly DeadlineStep[]): Chain {
  return { ...chain, ...Object.fromEntries(steps.map(({ after }) => [after.frist_type, after.id])) }
}

/** A deadline whose chain is not there to be read is at least in its own place. */
function aloneInChain({ chain_id, case_id, frist_type, id }: DeadlineRecord): Chain {
  return { id: chain_id, case_id, vorfrist: null, hauptfrist: null, nachfrist: null, [frist_type]: id }
}
