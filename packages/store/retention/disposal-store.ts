import { conflict, type Failure } from '#kernel/failure.ts'
import type { DisposalRecord, DisposalStore, DueDisposals } from '#retention/disposal-ports.ts'
import { changesOf } from '../changes.ts'
import { type Db, strongly } from '../db.ts'
import { dueChanges, dueKey, dueRecord, timedIndex } from '../due-index.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withNulls } from '../nulls.ts'
import { records } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, retryStale } from '../transact.ts'
import { casesInDisposal, disposalEntity, dueDisposal } from './disposal-entity.ts'

/** Cases that wait in disposals at once: the item that lists them holds at most 400 KB. */
const maxWaiting = 3_000

function disposalRecords(db: Db) {
  return records<DisposalRecord>(db, disposalEntity, {
    missing: 'DISPOSAL_NOT_FOUND',
    mayLack: { 'counts.*': true, 'states.*': true },
  })
}

/** Disposals in the table. */
export function disposalStore(deps: StoreDeps): DisposalStore {
  const { db, cursors } = deps
  const items = disposalEntity(db)
  const taken = casesInDisposal(db)
  const disposals = disposalRecords(db)

  const due = dueChanges(dueDisposal(db), dueItemOf)

  type Taken = { disposals: Record<string, string>; version: number }
  const readTaken = async (workspace_id: string): Promise<Taken> =>
    (await taken.get({ workspace_id }).go(strongly)).data ?? { disposals: {}, version: 0 }

  /** Lists the cases that are in a disposal anew, on the condition that nobody has meanwhile. */
  const writeTaken = (workspace_id: string, held: Record<string, string>, version: number): Action => {
    const item = taken.put({ workspace_id, disposals: held, version: version + 1 })
    const asItWas = item.where(({ version: is }, { eq, notExists }) =>
      version === 0 ? notExists(is) : eq(is, version),
    )
    return rewrite(taken, asItWas, {})
  }

  /** Takes the cases of a new disposal. @throws Failure CASE_IN_DISPOSAL */
  const take = async ({ workspace_id, id, cases }: DisposalRecord): Promise<Action> => {
    const { disposals: held, version } = await readTaken(workspace_id)
    const elsewhere = cases.filter(({ case_id }) => held[case_id] !== undefined)
    if (elsewhere.length > 0)
      throw inDisposal(
        elsewhere.map(({ case_id, file_number }) => `${file_number} (${case_id}): in ${held[case_id]}.`),
      )
    if (Object.keys(held).length + cases.length > maxWaiting) throw tooMany()
    const added = Object.fromEntries(cases.map(({ case_id }) => [case_id, id]))
    return writeTaken(workspace_id, { ...held, ...added }, version)
  }

  const free = async ({ workspace_id, id }: DisposalRecord): Promise<Action> => {
    const { disposals: held, version } = await readTaken(workspace_id)
    const others = Object.entries(held).filter(([, disposal]) => disposal !== id)
    return writeTaken(workspace_id, Object.fromEntries(others), version)
  }

  const changes = changesOf<DisposalRecord>(deps, disposals, {
    events: 'none',
    follow: async (before, after) => {
      if (after === undefined) return { actions: [] }
      if (before === undefined) return { actions: [await take(after)] }
      const ends = isOver(after) && !isOver(before)
      return { actions: [...due(before, after), ...(ends ? [await free(after)] : [])] }
    },
  })

  return {
    page: async (workspaceId, request) => {
      const query = items.query.newest({ workspace_id: workspaceId })
      const page = await newestFirst(cursors, [workspaceId, 'disposals'], request, query)
      return mapPage(page, (item) => withNulls(item, disposalEntity.nullable))
    },

    find: disposals.find,

    add: (change) => retryStale(() => changes.add(change)),

    change: changes.change,
  }
}

/** The disposals in the table that have something to do. */
export function dueDisposals(db: Db): DueDisposals {
  const items = dueDisposal(db)
  const disposals = disposalRecords(db)
  return {
    ...timedIndex('disposals#due', items, dueRecord),

    settle: async ({ workspace_id, id, shard, place }) => {
      const record = await disposals.find(workspace_id, id)
      if (record && dueItemOf(record)?.place === place) return
      await items.delete({ shard, place }).go()
    },
  }
}

/** The item of a disposal in the index; undefined if there is nothing to do. */
function dueItemOf({ workspace_id, id, status, approved_at, kept_until, is_cleaned }: DisposalRecord) {
  const item = (at: string | null) => ({ ...dueKey(String(at), id), workspace_id, id })
  if (status === 'approved' || status === 'running') return item(approved_at)
  if (status !== 'done') return undefined
  if (!is_cleaned) return item(approved_at)
  // Two days after the last day it is over in every time zone.
  if (kept_until !== null) return item(new Date(Date.parse(kept_until) + 2 * 86_400_000).toISOString())
  return undefined
}

function isOver({ status }: DisposalRecord): boolean {
  return status === 'done' || status === 'withdrawn'
}

function inDisposal(messages: string[]): Failure {
  const details = messages.map((message) => ({ path: 'body.case_ids', message }))
  return conflict(
    'CASE_IN_DISPOSAL',
    'Some of these cases are in another disposal that is not done. Withdraw it first, or leave these cases out.',
    { details },
  )
}

function tooMany(): Failure {
  return conflict(
    'CASE_IN_DISPOSAL',
    `At most ${maxWaiting} cases of a firm may wait in disposals. Let others be approved or withdrawn first.`,
  )
}
