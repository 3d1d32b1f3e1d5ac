import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { Changes } from '#kernel/updated-since.ts'
import type { PartyRecord } from '#parties/ports.ts'
import { asOfLagMilliseconds } from '#store/change-log.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

/** What `as_of` promises where writing takes its time (G16). The clock stands still unless a test moves it. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.setSystemTime(epochMilliseconds() + milliseconds)

/** Parties in the table, whose writes go through `send`. */
async function partiesBy(send?: (transaction: () => Promise<unknown>) => Promise<unknown>) {
  const db = await sharedTable()
  const client = new Proxy(db.client, {
    get: (target, name) => {
      if (name !== 'send' || send === undefined) return Reflect.get(target, name)
      return (command: { constructor: { name: string } }) =>
        command.constructor.name === 'TransactWriteCommand'
          ? send(() => target.send(command as never))
          : target.send(command as never)
    },
  })
  const slow: Db = { ...db, client }
  const runner = { run: async () => {} }
  return partyStore({
    db: slow,
    cursors: tableCursors(db),
    outbox: outbox(slow, runner, { error: () => {} }),
    clock: { now: () => systemClock.now() },
  })
}

const party = (workspace_id: string, name: string): PartyRecord => {
  const now = systemClock.now().toISOString()
  const nothing = { email: null, phone: null, address: null }
  return {
    ...nothing,
    workspace_id,
    id: newId('party'),
    type: 'person',
    name,
    created_at: now,
    updated_at: now,
    version: 1,
  }
}

const idsOf = ({ data }: Changes<unknown>) => data.map(({ id }) => id)

it('a change that is written 55 seconds after its stamp is shown to who asks since the last as_of', async () => {
  // Prepare
  const workspace = newId('workspace')
  const started = systemClock.now().toISOString()
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const slow = await partiesBy(async (transaction) => {
    reached.resolve()
    await held.promise
    return transaction()
  })
  const quick = await partiesBy()
  const late = party(workspace, 'Spät')
  const writing = slow.add(plain(late))
  await reached.promise

  // Act
  pass(55_000)
  const early = party(workspace, 'Früh')
  await quick.add(plain(early))
  const first = await quick.changes(workspace, { limit: 50 }, started)
  held.resolve()
  await writing
  const second = await quick.changes(workspace, { limit: 50 }, first.as_of)

  // Assess
  expect(idsOf(first)).toEqual([early.id])
  expect(idsOf(second)).toEqual([late.id, early.id])
})

it('no attempt begins 15 seconds after the stamp: the change is refused, and nothing of it is written', async () => {
  const workspace = newId('workspace')
  const started = systemClock.now().toISOString()
  let attempts = 0
  const contended = await partiesBy(async () => {
    attempts += 1
    pass(15_001)
    throw Object.assign(new Error('Conflict'), { name: 'TransactionConflictException' })
  })

  const added = await contended
    .add(plain(party(workspace, 'Umkämpft')))
    .catch((error: { code: string }) => error.code)

  const quick = await partiesBy()
  expect([added, attempts]).toEqual(['SERVICE_UNAVAILABLE', 1])
  expect(idsOf(await quick.changes(workspace, { limit: 50 }, started))).toEqual([])
})

it('a change during a walk is shown by the walk or since its as_of, which is that of the first page', async () => {
  const workspace = newId('workspace')
  const started = systemClock.now().toISOString()
  const store = await partiesBy()
  const [first, second] = [party(workspace, 'Erste'), party(workspace, 'Zweite')]
  await store.add(plain(first))
  pass(1)
  await store.add(plain(second))

  const page = await store.changes(workspace, { limit: 1 }, started)
  pass(5 * 60_000)
  const renamed = (current: PartyRecord) =>
    plain({ ...current, name: 'Umbenannt', version: current.version + 1 })
  await store.change(workspace, first.id, renamed)
  const cursor = page.pagination.cursor ?? ''
  const rest = await store.changes(workspace, { limit: 1, cursor }, started)
  const next = await store.changes(workspace, { limit: 50 }, page.as_of)

  expect([idsOf(page), idsOf(rest), rest.pagination.has_more]).toEqual([[first.id], [second.id], false])
  expect(rest.as_of).toBe(page.as_of)
  expect(next.data).toContainEqual({ id: first.id, record: expect.objectContaining({ name: 'Umbenannt' }) })
})

it('a clock that is behind loses no change: a later change of a record has a later time', async () => {
  const workspace = newId('workspace')
  const store = await partiesBy()
  const record = party(workspace, 'Vorher')
  await store.add(plain(record))
  const { as_of } = await store.changes(workspace, { limit: 50 }, systemClock.now().toISOString())

  pass(-4_000)
  await store.change(workspace, record.id, (current) => plain({ ...current, name: 'Nachher', version: 2 }))
  pass(4_000)

  const { data } = await store.changes(workspace, { limit: 50 }, as_of)
  expect(data).toEqual([{ id: record.id, record: expect.objectContaining({ name: 'Nachher' }) }])
})

it('as_of lags by more than an attempt may take after the stamp', () => {
  // `transact` begins none after 15 seconds; `client.ts` tries six times with up to six seconds each.
  expect(asOfLagMilliseconds).toBeGreaterThan(15_000 + 6 * 6_000)
})
