import { withdrawEvent } from '#calendar/withdrawal-schema.ts'
import type { Chain, DeadlineRecord, DeadlineStep, DeadlineStore } from '#deadlines/ports.ts'
import { type FristType, fristTypes } from '#deadlines/type-schema.ts'
import type { Job } from '#jobs/job.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import { getsById, readAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { showDeletion } from '../cases/deleted-cases.ts'
import { pageOfChanges, stamped } from '../change-log.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, put, retryStale, Stale, transact } from '../transact.ts'
import { chainEntity } from './chain-entity.ts'
import { completeDeadlines } from './complete-deadlines.ts'
import { deadlineChanges } from './deadline-changes.ts'
import { deadlineRecords } from './deadline-record.ts'
import { dueLists, placeOf } from './due-lists.ts'
import { histories } from './histories.ts'
import { signedRegisters } from './signed-registers.ts'

/** Deadlines in the table: the record, its chain, its entries in the lists by due time, and its history. */
export function deadlineStore({
  db,
  cursors,
  outbox,
}: {
  db: Db
  cursors: Cursors
  outbox: Pick<Outbox, 'commit'>
}): DeadlineStore {
  const deadlines = deadlineRecords(db)
  const chains = chainEntity(db)
  const lists = dueLists(db)
  const changes = deadlineChanges(db)
  const history = histories(db, cursors)
  const ofCase = caseActions(db)
  const complete = completeDeadlines(db)
  const withDeletion = showDeletion(db)

  const find: DeadlineStore['find'] = async (workspaceId, id, { struckToo } = { struckToo: false }) => {
    const found = await deadlines.find(workspaceId, id)
    if (found === undefined || (found.struck_at !== null && !struckToo)) return undefined
    const [record] = await withDeletion(workspaceId, [found])
    return record
  }

  const due: DeadlineStore['due'] = async (workspaceId, query, range) =>
    withDeletion(workspaceId, await lists.due(workspaceId, query, range))

  const findChain = async (workspaceId: string, id: string): Promise<StoredChain | undefined> => {
    const { data } = await chains.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : withNulls(data, chainEntity.nullable)
  }

  const chainOf = async (workspaceId: string, id: string): Promise<StoredChain> => {
    const chain = await findChain(workspaceId, id)
    if (chain === undefined) throw new Error(`The chain ${id} of a deadline is missing.`)
    return chain
  }

  /** The provisional deadline of a requested extension, with its chain. */
  const provisionalOf = async (workspaceId: string, { extension }: DeadlineRecord) => {
    if (extension?.state !== 'requested') return undefined
    const deadline = await find(workspaceId, extension.provisional_id)
    if (deadline === undefined) throw new Stale()
    const chain = await chainOf(workspaceId, deadline.chain_id)
    const vorfrist = chain.vorfrist === null ? undefined : await find(workspaceId, chain.vorfrist)
    if (chain.vorfrist !== null && vorfrist === undefined) throw new Stale()
    return { chain, records: { deadline, vorfrist } }
  }

  /** The writes of one step: the record, its entries in the lists, its history. */
  const writes = ({ before, after, entry }: DeadlineStep): Action[] => {
    const record = stamped(after, before)
    return [
      before === undefined ? deadlines.add(record) : deadlines.replace(before, record),
      ...lists.changes(before, record),
      ...history.add(after.workspace_id, after.id, entry),
    ]
  }

  /** Records on deadlines that their chain has changed, except on deadlines that are themselves among the steps. */
  const touchOthers = (
    workspaceId: string,
    chains: readonly { before: Chain; after: Chain }[],
    steps: readonly DeadlineStep[],
  ): Action[] => {
    const written = new Set(steps.map(({ after }) => after.id))
    const members = chains.flatMap(({ before, after }) =>
      before === after ? [] : fristTypes.flatMap((type) => [before[type] ?? [], after[type] ?? []].flat()),
    )
    return changes.touch(
      workspaceId,
      [...new Set(members)].filter((id) => !written.has(id)),
    )
  }

  /** The writes of new deadlines, whose case must exist. */
  const additions = (first: DeadlineStep, steps: readonly DeadlineStep[], entry: TimelineEntry): Action[] => {
    const { workspace_id, case_id } = first.after
    return [
      ofCase.isThere(workspace_id, case_id),
      ...steps.flatMap(writes),
      ofCase.recordTimeline(workspace_id, case_id, entry),
    ]
  }

  const writeChain = (workspaceId: string, before: StoredChain, after: Chain): Action =>
    rewrite(
      chains,
      chains
        .put({ workspace_id: workspaceId, ...withoutNulls(after), version: before.version + 1 })
        .where(asRead(before)),
      before,
    )

  /** The chain of new deadlines; nothing if there are none. */
  const newChain = (steps: readonly DeadlineStep[]): Action[] => {
    const [first] = steps
    if (first === undefined) return []
    const { workspace_id, chain_id: id, case_id } = first.after
    return [put(chains.create({ workspace_id, id, case_id, ...placesTakenBy(steps), version: 1 }))]
  }

  return {
    find,

    findAll: async (workspaceId, ids) => {
      const found = await deadlines.findAll(workspaceId, ids)
      return withDeletion(
        workspaceId,
        found.filter(({ struck_at }) => struck_at === null),
      )
    },

    chains: async (workspaceId, ids) => {
      const found = new Map<string, Chain>()
      const gets = getsById([...new Set(ids)], (id) => chains.get({ workspace_id: workspaceId, id }))
      for (const item of await readAll(db, gets)) {
        const { data } = chains.parse({ Item: item })
        if (data !== null) found.set(data.id, withNulls(data, chainEntity.nullable))
      }
      return found
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

    changes: (workspaceId, list, { moves, ...query }, request) =>
      pageOfChanges(cursors, [workspaceId, ...list], request, (range) => [
        changes.source(workspaceId, query, range, moves),
      ]),

    add: async (steps, entry) => {
      const [first] = steps
      if (first === undefined) return
      await transact(db, [...additions(first, steps, entry), ...newChain(steps)])
    },

    join: (workspaceId, chainId, decide) =>
      retryStale(async () => {
        const chain = await findChain(workspaceId, chainId)
        if (chain === undefined) throw notFound('DEADLINE_NOT_FOUND')
        const { steps, timelineEntry: entry } = await decide(chain)
        const places = placesTakenBy(steps)
        const taken = fristTypes.find((type) => places[type] && chain[type])
        if (taken) throw occupied(taken)
        const after = { ...chain, ...places }
        await transact(db, [
          ...additions(steps[0], steps, entry),
          writeChain(workspaceId, chain, after),
          ...touchOthers(workspaceId, [{ before: chain, after }], steps),
        ])
        return steps[0].after
      }),

    change: (workspaceId, id, decide, answerOf) =>
      retryStale(async () => {
        const current = await find(workspaceId, id)
        if (current === undefined) throw notFound('DEADLINE_NOT_FOUND')
        const chain = await chainOf(workspaceId, current.chain_id)
        const vorfristId = current.frist_type === 'hauptfrist' ? chain.vorfrist : null
        const vorfrist = vorfristId === null ? undefined : await find(workspaceId, vorfristId)
        // The Vorfrist was struck after the chain was read.
        if (vorfristId !== null && vorfrist === undefined) throw new Stale()

        const provisional = await provisionalOf(workspaceId, current)

        const decided = await decide(current, chain, vorfrist, provisional?.records)
        if (decided === undefined) return answerOf({ deadline: current, chain })
        const { steps, added = [], timelineEntry: entry } = decided
        const chains = [chain, ...(provisional ? [provisional.chain] : [])].map((before) => ({
          before,
          after: chainAfter(before, steps),
        }))
        const answer = answerOf({ deadline: steps[0].after, chain: chains[0]?.after ?? chain })
        await outbox.commit(
          [
            ...[...steps, ...added].flatMap(writes),
            ...chains.flatMap(({ before, after }) =>
              after === before ? [] : [writeChain(workspaceId, before, after)],
            ),
            ...touchOthers(workspaceId, chains, [...steps, ...added]),
            ...newChain(added),
            ofCase.recordTimeline(workspaceId, current.case_id, entry),
          ],
          withdrawals(steps),
        )
        return answer
      }),

    history: history.page,

    registerCursors: {
      seal: (workspaceId, day, position) => cursors.seal([workspaceId, 'register', day], position),
      open: (workspaceId, day, cursor) => cursors.open([workspaceId, 'register', day], cursor),
    },

    journal: history.between,

    signedRegisters: signedRegisters(db),
  }
}

type StoredChain = Chain & { version: number }

/** The places of their chain that new deadlines take. */
function placesTakenBy(steps: readonly DeadlineStep[]): { [Type in FristType]?: string } {
  return Object.fromEntries(steps.map(({ after }) => [after.frist_type, after.id]))
}

/** The jobs that remove deadlines which are struck from the calendars that they were pushed to (K11). */
function withdrawals(steps: readonly DeadlineStep[]): Job[] {
  return steps
    .filter(({ before, after }) => before?.struck_at === null && after.struck_at !== null)
    .map(({ after: { workspace_id, id } }) => withdrawEvent.of({ workspace_id, event_id: id, pushed: null }))
}

/** The chain after these steps: struck and moved deadlines leave their places; the same chain if nothing changes. */
function chainAfter(chain: StoredChain, steps: readonly DeadlineStep[]): StoredChain {
  const after = { ...chain }
  for (const { after: record } of steps) {
    const type = record.frist_type
    const belongs = record.chain_id === chain.id && record.struck_at === null
    if (belongs) after[type] = record.id
    else if (after[type] === record.id) after[type] = null
  }
  return fristTypes.some((type) => after[type] !== chain[type]) ? after : chain
}

function occupied(type: FristType): Failure {
  const noun = type.charAt(0).toUpperCase() + type.slice(1)
  return new Failure('conflict', 'CHAIN_OCCUPIED', `This chain has a ${noun} already. Strike it first.`)
}
