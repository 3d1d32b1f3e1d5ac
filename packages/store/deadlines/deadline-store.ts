import { withdrawEvent } from '#calendar/withdrawal-schema.ts'
import { aloneInChain, chainAfter, chainOccupied } from '#deadlines/chain-schema.ts'
import type { Chain, DeadlineChange, DeadlineRecord, DeadlineStep, DeadlineStore } from '#deadlines/ports.ts'
import { fristTypes } from '#deadlines/type-schema.ts'
import type { Job } from '#jobs/job.ts'
import { required, unknownAt } from '#kernel/failure.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import { storedPushes } from '../calendar/push-store.ts'
import { caseActions } from '../cases/case-actions.ts'
import { showDeletion } from '../cases/deleted-cases.ts'
import { pageOfChanges, stamped } from '../change-log.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { records } from '../records.ts'
import { noteRemoved } from '../retention/removed-in-case.ts'
import { type Action, retryStale, Stale } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { chainEntity } from './chain-entity.ts'
import { completeDeadlines } from './complete-deadlines.ts'
import { deadlineChanges } from './deadline-changes.ts'
import { deadlineEvents } from './deadline-events.ts'
import { deadlineRecords } from './deadline-record.ts'
import { dueDeadlineActions } from './due-deadlines.ts'
import { dueLists, placeOf } from './due-lists.ts'
import { histories } from './histories.ts'
import { signedRegisters } from './signed-registers.ts'

/** Deadlines in the table: the record, its chain, its entries in the lists by due time, and its history. */
export function deadlineStore(deps: {
  db: Db
  cursors: Cursors
  outbox: Pick<Outbox, 'commit'>
}): DeadlineStore {
  const { db, cursors, outbox } = deps
  const deadlines = deadlineRecords(db)
  // A chain is missing only while a disposal removes its deadlines, perhaps some of them earlier than others.
  const chains = records<StoredChain>(db, chainEntity, { missing: 'DEADLINE_NOT_FOUND' })
  const lists = dueLists(db)
  const changes = deadlineChanges(db)
  const history = histories(db, cursors)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)
  const complete = completeDeadlines(db)
  const dueActions = dueDeadlineActions(db)
  const withDeletion = showDeletion(db)
  const pushes = storedPushes(db)

  const find: DeadlineStore['find'] = async (workspaceId, id, { struckToo } = { struckToo: false }) => {
    const found = await deadlines.find(workspaceId, id)
    if (found === undefined || (found.struck_at !== null && !struckToo)) return undefined
    const [record] = await withDeletion(workspaceId, [found])
    return record
  }

  const due: DeadlineStore['due'] = async (workspaceId, query, range) =>
    withDeletion(workspaceId, await lists.due(workspaceId, query, range))

  /** The Vorfrist of a chain. @throws Stale if it was struck since the chain was read */
  const vorfristOf = async (workspaceId: string, chain: Chain): Promise<DeadlineRecord | undefined> => {
    const vorfrist = chain.vorfrist === null ? undefined : await find(workspaceId, chain.vorfrist)
    if (chain.vorfrist !== null && vorfrist === undefined) throw new Stale()
    return vorfrist
  }

  /** The provisional deadline of a requested extension, with its chain. */
  const provisionalOf = async (workspaceId: string, { extension }: DeadlineRecord) => {
    if (extension?.state !== 'requested') return undefined
    const deadline = await find(workspaceId, extension.provisional_id)
    if (deadline === undefined) throw new Stale()
    const chain = await chains.found(workspaceId, deadline.chain_id)
    return { chain, records: { deadline, vorfrist: await vorfristOf(workspaceId, chain) } }
  }

  /** The writes of one step: the record, its entries in the lists and the index, its history, its events. */
  const writes = ({ before, after, entry }: DeadlineStep): Action[] => {
    const record = stamped(after, before)
    return [
      before === undefined ? deadlines.add(record) : deadlines.replace(before, record),
      ...lists.changes(before, record),
      ...dueActions(before, record),
      ...history.add(after.workspace_id, after.id, entry),
      // A timeline names only the deadline that a user struck, not its Vorfrist, which is struck with it.
      ...(isStruck({ before, after }) ? noteRemoved(db, after) : []),
      ...recordEvents(after.workspace_id, deadlineEvents(before, record)),
    ]
  }

  /** Records on deadlines that their chain has changed, except on deadlines that are themselves among the steps. */
  const touchOthers = (
    workspaceId: string,
    changed: readonly { before: Chain; after: Chain }[],
    steps: readonly DeadlineStep[],
  ): Action[] => {
    const written = new Set(steps.map(({ after }) => after.id))
    const members = changed.flatMap(({ before, after }) =>
      fristTypes.flatMap((type) => [before[type] ?? [], after[type] ?? []].flat()),
    )
    return changes.touch(
      workspaceId,
      [...new Set(members)].filter((id) => !written.has(id)),
    )
  }

  /** The chain of new deadlines; nothing if there are none. */
  const newChain = ([first, ...others]: readonly DeadlineStep[]): Action[] => {
    if (first === undefined) return []
    const chain = chainAfter(aloneInChain(first.after), others)
    return [chains.add({ workspace_id: first.after.workspace_id, ...chain, version: 1 })]
  }

  /**
   * Writes the steps, and the chains that they change. A chain also gets a new version if one of its deadlines gets
   * another due time, or is completed or reopened: decisions about the others depend on that.
   *
   * @param first actions whose conditions are checked first
   */
  const write = <Answer>(
    workspaceId: string,
    { steps, added = [], timeline = [], events = [], jobs = [], answer }: Written<Answer>,
    known: readonly StoredChain[],
    ...first: Action[]
  ): Promise<Answered<Answer>> => {
    const all = [...steps, ...added]
    const followed = known.map((before) => ({ before, after: chainAfter(before, steps) }))
    const changed = followed.filter(({ before, after }) => after !== before)
    const concerned = new Set(steps.filter(concernsOthers).map(({ after }) => after.chain_id))
    const written = followed.filter(({ before, after }) => after !== before || concerned.has(before.id))
    const actions = [
      ...first,
      ...all.flatMap(writes),
      ...written.map(({ before, after }) =>
        chains.replace(before, { ...after, version: before.version + 1 }),
      ),
      ...touchOthers(workspaceId, changed, all),
      ...newChain(added),
      ...ofCase.recordTimelines(workspaceId, timeline),
      ...recordEvents(workspaceId, events),
    ]
    return outbox.commit(actions, [...jobs, ...withdrawals(steps)], { answer })
  }

  const isThere = ({ after: { workspace_id, case_id } }: DeadlineStep): Action =>
    ofCase.isThere(workspace_id, case_id, unknownAt('body.case_id', case_id))

  return {
    find,

    findAll: async (workspaceId, ids) => {
      const found = await deadlines.findAll(workspaceId, ids)
      const unstruck = found.filter(({ struck_at }) => struck_at === null)
      return withDeletion(workspaceId, unstruck)
    },

    chains: async (workspaceId, ids) => {
      const found = await chains.findAll(workspaceId, [...new Set(ids)])
      return new Map(found.map((chain) => [chain.id, chain]))
    },

    due,

    withoutExitControl: lists.withoutExitControl,

    complete: async (listed) => {
      const [first] = listed
      return first === undefined ? [] : withDeletion(first.workspace_id, await complete(listed))
    },

    page: (workspaceId, list, query, request) =>
      pageByCursor(cursors, [workspaceId, 'due', ...list], request, async (after, limit) => {
        const records = await due(workspaceId, query, { after, limit: limit + 1 })
        const items = records.slice(0, limit)
        const last = items.at(-1)
        return { items, next: records.length > limit && last ? placeOf(last) : undefined }
      }),

    changes: (workspaceId, list, { fromIsNow, ...query }, request) =>
      pageOfChanges(cursors, [workspaceId, ...list], request, (range) => [
        changes.source(workspaceId, query, range, fromIsNow),
      ]),

    add: (change) => {
      const { steps } = change
      return write(steps[0].after.workspace_id, { ...change, steps: [], added: steps }, [], isThere(steps[0]))
    },

    join: (workspaceId, chainId, decide) =>
      retryStale(async () => {
        const found = await chains.find(workspaceId, chainId)
        const chain = required(found, 'DEADLINE_NOT_FOUND', unknownAt('body.chain_id', chainId))
        const change = await decide(chain)
        const after = chainAfter(chain, change.steps)
        const taken = fristTypes.find((type) => chain[type] !== null && chain[type] !== after[type])
        if (taken) throw chainOccupied(taken)
        return write(workspaceId, change, [chain], isThere(change.steps[0]))
      }),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const current = required(await find(workspaceId, id), 'DEADLINE_NOT_FOUND')
        const chain = await chains.found(workspaceId, current.chain_id)
        const vorfrist =
          current.frist_type === 'hauptfrist' ? await vorfristOf(workspaceId, chain) : undefined
        const provisional = await provisionalOf(workspaceId, current)
        const change = await decide(current, { chain, vorfrist, provisional: provisional?.records })
        if (change.steps === undefined) return unchanged(change.answer)
        // New deadlines in a case that is being removed would be left over.
        const stays = change.added?.length ? [ofCase.letsGo(workspaceId, current.case_id)] : []
        return write(workspaceId, change, [chain, ...(provisional ? [provisional.chain] : [])], ...stays)
      }),

    pushed: async (workspaceId, ids) => {
      const found = await Promise.all(ids.map((id) => pushes.ofEvent(workspaceId, id)))
      return new Set(found.flat().map(({ event_id }) => event_id))
    },

    history: history.page,

    registerCursors: {
      seal: (workspaceId, day, position) => cursors.seal([workspaceId, 'register', day], position),
      open: (workspaceId, day, cursor) => cursors.open([workspaceId, 'register', day], cursor),
    },

    journal: history.between,

    signedRegisters: signedRegisters(db),
  }
}

type StoredChain = Chain & { workspace_id: string; version: number }

/** A change as it is written; of new deadlines alone it has no other steps. */
type Written<Answer> = Omit<DeadlineChange<Answer>, 'steps'> & { steps: readonly DeadlineStep[] }

/** The jobs that remove deadlines which are struck from the calendars that they were pushed to (K11). */
function withdrawals(steps: readonly DeadlineStep[]): Job[] {
  return steps
    .filter(isStruck)
    .map(({ after: { workspace_id, id } }) => withdrawEvent.of({ workspace_id, event_id: id, pushed: null }))
}

/** Whether what may be done with the other deadlines of the chain depends on this step. */
function concernsOthers({ before, after }: DeadlineStep): boolean {
  return before?.due_at !== after.due_at || before.completed_at !== after.completed_at
}

function isStruck({ before, after }: Pick<DeadlineStep, 'before' | 'after'>): boolean {
  return before?.struck_at === null && after.struck_at !== null
}
