import {
  type Chain,
  type DeadlineRecord,
  type DeadlineState,
  type DeadlineStep,
  type DeadlineStore,
  type DueQuery,
  deadlineStates,
} from '#deadlines/ports.ts'
import type { HistoryEntry } from '#deadlines/schema.ts'
import { type FristType, fristTypes } from '#deadlines/schema.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import { readAll } from './batch.ts'
import { caseActions } from './case-actions.ts'
import type { Cursors } from './cursor.ts'
import { type Db, strongly } from './db.ts'
import { chainEntity } from './entities/chain.ts'
import { deadlineEntity } from './entities/deadline.ts'
import { dueEntry } from './entities/due-entry.ts'
import { historyEntry, journalEntry } from './entities/history-entry.ts'
import { lazily } from './lazily.ts'
import { withNulls, withoutNulls } from './nulls.ts'
import { type Action, erase, put, retryStale, Stale, transact } from './transact.ts'

/**
 * Deadlines in the table.
 *
 * The lists by due time are partitions of `dueEntry`, one per state and per combination of case and assignee, so
 * that every filter is a range of a partition. A list of several states is read state by state in the order in
 * which deadlines go through them, then `open` once more, since another due time makes a verified one open again,
 * and merged: what changes its state once meanwhile is met, and what is open from the beginning of the last read on
 * is met whatever happened before. Only what changes to and fro during one answer can be missed by that answer.
 */
export function deadlineStore({ db, cursors }: { db: Db; cursors: Cursors }): DeadlineStore {
  const deadlines = lazily(() => deadlineEntity(db))
  const chains = lazily(() => chainEntity(db))
  const due = lazily(() => dueEntry(db))
  const histories = lazily(() => historyEntry(db))
  const journals = lazily(() => journalEntry(db))
  const ofCase = caseActions(db)

  const find: DeadlineStore['find'] = async (workspaceId, id, { struckToo } = { struckToo: false }) => {
    const { data } = await deadlines.get({ workspace_id: workspaceId, id }).go(strongly)
    if (data === null || (data.struck_at !== undefined && !struckToo)) return undefined
    return recordOf(data)
  }

  const findChain = async (workspaceId: string, id: string): Promise<StoredChain | undefined> => {
    const { data } = await chains.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : withNulls(data, fristTypes)
  }

  const chainOf = async (workspaceId: string, id: string): Promise<StoredChain> => {
    const chain = await findChain(workspaceId, id)
    if (chain === undefined) throw new Error(`The chain ${id} of a deadline is missing.`)
    return chain
  }

  const readState = async (
    workspaceId: string,
    term: string,
    { from, until, after }: { from: string; until: string; after: string | undefined },
    limit: number,
  ): Promise<DeadlineRecord[]> => {
    const found: DeadlineRecord[] = []
    // A place that begins with another and goes on sorts right after it, and "!" before every longer one.
    let lowest = after !== undefined && after >= from ? `${after}!` : from
    // One Query gives at most a megabyte, which can be less than the limit.
    while (lowest < until) {
      const { data, cursor } = await due.query
        .soonest({ workspace_id: workspaceId, term })
        .between({ place: lowest }, { place: until })
        .go({ limit: limit - found.length, ...strongly })
      found.push(...data.map((entry) => fromText(workspaceId, entry.deadline)))
      const last = data.at(-1)
      if (found.length >= limit || cursor === null || last === undefined) break
      lowest = `${last.place}!`
    }
    return found
  }

  const readDue: DeadlineStore['due'] = async (
    workspaceId,
    { states, case_id, assigned_to, from = earliest, until = latest },
    { after, limit },
  ) => {
    let found: DeadlineRecord[] = []
    const wanted = deadlineStates.filter((one) => states.includes(one))
    const reread = wanted.length > 1 && wanted[0] === 'open' ? wanted.slice(0, 1) : []
    for (const state of [...wanted, ...reread]) {
      const term = state === 'struck' ? state : termOf(state, case_id, assigned_to)
      // Where there are enough already, only those that come before the last of them matter.
      const last = found[limit - 1]
      const range = { from, until: last === undefined ? until : placeOf(last), after }
      const more = await readState(workspaceId, term, range, limit)
      const metAgain = new Set(more.map(({ id }) => id))
      found = [...found.filter(({ id }) => !metAgain.has(id)), ...more].toSorted(byPlace).slice(0, limit)
    }
    return found
  }

  /** The writes of one step: the record, its places in the lists, its history. */
  const writes = ({ before, after, entry }: DeadlineStep): Action[] => {
    const { workspace_id, id } = after
    const position = positionOf(entry.seq)
    const places = before === undefined ? [] : placesOf(before)
    const kept = placesOf(after)
    return [
      before === undefined
        ? put(deadlines.create(withoutNulls(after)))
        : put(deadlines.put(withoutNulls(after)).where(({ version }, { eq }) => eq(version, before.version))),
      ...places
        .filter(({ term, place }) => !kept.some((other) => other.term === term && other.place === place))
        .map(({ term, place }) => erase(due.delete({ workspace_id, term, place }))),
      ...kept.map(({ term, place }) => put(due.put({ workspace_id, term, place, deadline: toText(after) }))),
      put(histories.create({ workspace_id, deadline_id: id, position, entry })),
      put(
        journals.create({
          workspace_id,
          day: entry.at.slice(0, 10),
          place: `${entry.at}#${id}#${position}`,
          deadline_id: id,
          position,
        }),
      ),
    ]
  }

  const told = ({ workspace_id, case_id }: DeadlineRecord, entry: TimelineEntry): Action =>
    ofCase.recordTimeline(workspace_id, case_id, entry)

  /** The writes of new deadlines, whose case must be there. */
  const additions = (first: DeadlineStep, steps: readonly DeadlineStep[], entry: TimelineEntry): Action[] => {
    const { workspace_id, case_id } = first.after
    return [ofCase.isThere(workspace_id, case_id), ...steps.flatMap(writes), told(first.after, entry)]
  }

  const chainBecomes = (workspaceId: string, before: StoredChain, after: Chain): Action =>
    put(
      chains
        .put({ workspace_id: workspaceId, ...withoutNulls(after), version: before.version + 1 })
        .where(({ version }, { eq }) => eq(version, before.version)),
    )

  return {
    find,

    findAll: async (workspaceId, ids) => {
      const items = await readAll(
        db,
        ids.map((id) => deadlines.get({ workspace_id: workspaceId, id })),
      )
      return items.flatMap((item) => {
        const { data } = deadlines.parse({ Item: item })
        return data === null || data.struck_at !== undefined ? [] : [recordOf(data)]
      })
    },

    chains: async (workspaceId, ids) => {
      const found = new Map<string, Chain>()
      const items = await readAll(
        db,
        [...new Set(ids)].map((id) => chains.get({ workspace_id: workspaceId, id })),
      )
      for (const item of items) {
        const { data } = chains.parse({ Item: item })
        if (data !== null) found.set(data.id, withNulls(data, fristTypes))
      }
      return found
    },

    due: readDue,

    page: async (workspaceId, list, query, { limit, cursor }) => {
      const binding = [workspaceId, 'due', ...list]
      const after = cursor === undefined ? undefined : await cursors.open(binding, cursor)
      const records = await readDue(workspaceId, query, { after, limit: limit + 1 })
      const data = records.slice(0, limit)
      const last = data.at(-1)
      const next = records.length > limit && last ? await cursors.seal(binding, placeOf(last)) : null
      return { data, pagination: { cursor: next, has_more: next !== null } }
    },

    add: async (steps, entry) => {
      const [first] = steps
      if (first === undefined) return
      const { workspace_id, chain_id: id, case_id } = first.after
      const chain = { workspace_id, id, case_id, ...placesTakenBy(steps), version: 1 }
      await transact(db, [...additions(first, steps, entry), put(chains.create(chain))])
    },

    join: (workspaceId, chainId, decide) =>
      retryStale(async () => {
        const chain = await findChain(workspaceId, chainId)
        if (chain === undefined) throw notFound('DEADLINE_NOT_FOUND')
        const { steps, timelineEntry: entry } = await decide(chain)
        const places = placesTakenBy(steps)
        const taken = fristTypes.find((type) => places[type] && chain[type])
        if (taken) throw occupied(taken)
        await transact(db, [
          ...additions(steps[0], steps, entry),
          chainBecomes(workspaceId, chain, { ...chain, ...places }),
        ])
        return steps[0].after
      }),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const current = await find(workspaceId, id)
        if (current === undefined) throw notFound('DEADLINE_NOT_FOUND')
        const chain = await chainOf(workspaceId, current.chain_id)
        const vorfristId = current.frist_type === 'hauptfrist' ? chain.vorfrist : null
        const vorfrist = vorfristId === null ? undefined : await find(workspaceId, vorfristId)
        // It was struck after the chain was read.
        if (vorfristId !== null && vorfrist === undefined) throw new Stale()

        const decided = await decide(current, chain, vorfrist)
        if (decided === undefined) return { deadline: current, chain }
        const { steps } = decided
        const left = steps.filter(({ after }) => after.struck_at !== null).map(({ after }) => after.id)
        const remaining = { ...chain }
        for (const type of fristTypes) if (left.includes(chain[type] ?? '')) remaining[type] = null
        await transact(db, [
          ...steps.flatMap(writes),
          ...(left.length > 0 ? [chainBecomes(workspaceId, chain, remaining)] : []),
          told(current, decided.timelineEntry),
        ])
        return { deadline: steps[0].after, chain: remaining }
      }),

    history: async (workspaceId, id, { limit, cursor }) => {
      const binding = [workspaceId, 'history', id]
      const seen = cursor === undefined ? undefined : await cursors.open(binding, cursor)
      // The last entry of the page before, this page, and one more to know whether others follow.
      const wanted = (seen === undefined ? 0 : 1) + limit + 1
      const read: { position: string; entry: HistoryEntry }[] = []
      let lowest: string | undefined = seen ?? positionOf(0)
      while (lowest !== undefined) {
        const { data, cursor: more }: { data: unknown; cursor: string | null } = await histories.query
          .oldest({ workspace_id: workspaceId, deadline_id: id })
          .gte({ position: lowest })
          .go({ limit: wanted - read.length, ...strongly })
        read.push(...(data as typeof read))
        const last = read.at(-1)
        lowest = more === null || read.length >= wanted || !last ? undefined : `${last.position}!`
      }
      const previous = seen === undefined ? undefined : read.shift()?.entry
      const page = read.slice(0, limit)
      const last = page.at(-1)
      const next = read.length > limit && last ? await cursors.seal(binding, last.position) : null
      return {
        data: page.map(({ entry }) => entry),
        pagination: { cursor: next, has_more: next !== null },
        previous,
      }
    },

    registerCursors: {
      seal: (workspaceId, day, position) => cursors.seal([workspaceId, 'register', day], position),
      open: (workspaceId, day, cursor) => cursors.open([workspaceId, 'register', day], cursor),
    },

    journal: async (workspaceId, from, until) => {
      const listed: { deadline_id: string; position: string }[] = []
      for (const day of daysOf(from, until)) {
        const { data } = await journals.query
          .oldest({ workspace_id: workspaceId, day })
          .between({ place: from }, { place: until })
          .go({ pages: 'all', ...strongly })
        listed.push(...data)
      }
      const items = await readAll(
        db,
        listed.map(({ deadline_id, position }) =>
          histories.get({ workspace_id: workspaceId, deadline_id, position }),
        ),
      )
      const entries = new Map<string, HistoryEntry>()
      for (const item of items) {
        const { data } = histories.parse({ Item: item })
        if (data !== null) entries.set(`${data.deadline_id} ${data.position}`, data.entry as HistoryEntry)
      }
      return listed.flatMap(({ deadline_id, position }) => {
        const entry = entries.get(`${deadline_id} ${position}`)
        return entry === undefined ? [] : [{ deadline_id, entry }]
      })
    },
  }
}

type StoredChain = Chain & { version: number }

/** Sort before and after every time that a deadline can have. */
const earliest = '0'
const latest = '9999~'

/** What a deadline has come to, whatever the time is. */
export function stateOf(record: DeadlineRecord): DeadlineState {
  if (record.struck_at !== null) return 'struck'
  if (record.completed_at !== null) return 'completed'
  return record.verified_by === null ? 'open' : 'verified'
}

/** Where a deadline stands in every list by due time. */
export function placeOf({ due_at, id }: Pick<DeadlineRecord, 'due_at' | 'id'>): string {
  return `${due_at}#${id}`
}

function byPlace(one: DeadlineRecord, other: DeadlineRecord): number {
  return placeOf(one) < placeOf(other) ? -1 : 1
}

function placesOf(record: DeadlineRecord): { term: string; place: string }[] {
  const { case_id, assigned_to } = record
  const state = stateOf(record)
  const place = placeOf(record)
  if (state === 'struck') return [{ term: state, place }]
  return [
    termOf(state),
    termOf(state, case_id),
    termOf(state, undefined, assigned_to),
    termOf(state, case_id, assigned_to),
  ].map((term) => ({ term, place }))
}

export function termOf(
  state: DeadlineState,
  caseId?: DueQuery['case_id'],
  userId?: DueQuery['assigned_to'],
): string {
  return [state, ...(caseId ? [`case=${caseId}`] : []), ...(userId ? [`user=${userId}`] : [])].join(' ')
}

/** Which places of their chain new deadlines take. */
function placesTakenBy(steps: readonly DeadlineStep[]): { [Type in FristType]?: string } {
  return Object.fromEntries(steps.map(({ after }) => [after.frist_type, after.id]))
}

function positionOf(seq: number): string {
  return String(seq).padStart(8, '0')
}

/** The UTC dates on which a moment of the range lies. */
function daysOf(from: string, until: string): string[] {
  const days: string[] = []
  for (let day = from.slice(0, 10); day < until; ) {
    days.push(day)
    day = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
  }
  return days
}

function occupied(type: FristType): Failure {
  const noun = type.charAt(0).toUpperCase() + type.slice(1)
  return new Failure('conflict', 'CHAIN_OCCUPIED', `This chain has a ${noun} already. Strike it first.`)
}

const nullable = [
  'follows_days',
  'verified_by',
  'verified_at',
  'delegation',
  'completed_at',
  'completed_by',
  'evidence',
  'struck_at',
  'struck_by',
] as const

type Item = Omit<DeadlineRecord, (typeof nullable)[number]> & {
  [Field in (typeof nullable)[number]]?: unknown
}

function recordOf(item: Item): DeadlineRecord {
  return withNulls(item, nullable) as DeadlineRecord
}

/** What of a record the key of its entry does not say. */
function toText(record: DeadlineRecord): string {
  const { workspace_id: _, ...fields } = withoutNulls(record)
  return JSON.stringify(fields)
}

function fromText(workspace_id: string, text: string): DeadlineRecord {
  return recordOf({ workspace_id, ...JSON.parse(text) })
}
