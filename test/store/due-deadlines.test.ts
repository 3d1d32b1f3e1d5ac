import { beforeAll, expect, it } from 'vitest'
import type { DueDeadline } from '#deadlines/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { dueDeadline } from '#store/deadlines/due-deadline-entity.ts'
import { dueDeadlines } from '#store/deadlines/due-deadlines.ts'
import { newDeadlineFirm, times } from '#test/support/deadline-firm.ts'
import { allDue } from '#test/support/due-index.ts'
import { sharedTable } from '#test/support/table.ts'
import { tableMeanwhile } from '#test/support/table-meanwhile.ts'
import { loggedEvents } from '#test/support/webhook-events.ts'

/** Deadlines that are noted as overdue by several sweeps at once, and while they change. */

let db: Db
let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  db = await sharedTable()
  at = await newDeadlineFirm()
})

/** The entries of these deadlines in the index. */
const inIndex = async (ids: string[]): Promise<DueDeadline[]> => {
  const shards = new Set(ids.map((id) => id.slice(-1)))
  return (await allDue(dueDeadlines(db), undefined, shards)).filter(({ id }) => ids.includes(id))
}

const overdue = async (): Promise<string[]> =>
  (await loggedEvents(at.firm.owner, 'type=deadline.overdue')).map(({ data }) => data.id)

const only = ([item, ...others]: DueDeadline[]): DueDeadline => {
  if (item === undefined || others.length > 0) throw new Error('The index does not have it once.')
  return item
}

it('eight sweeps at once note a deadline once', async () => {
  const { id } = await at.entered()
  const item = only(await inIndex([id]))

  const noted = await times(8, () => dueDeadlines(db).note(item))
  const again = await dueDeadlines(db).note(item)

  expect(noted.filter(Boolean)).toHaveLength(1)
  expect(again).toBe(false)
  expect((await overdue()).filter((one) => one === id)).toHaveLength(1)
  expect(await inIndex([id])).toEqual([])
})

it('a deadline that is completed at the same moment is noted before that, or not at all', async () => {
  const entered = await times(12, () => at.entered())
  const ids = entered.map(({ id }) => id)
  const items = await inIndex(ids)

  const noted = new Map<string, boolean>()
  const completed = new Map<string, number>()
  const complete = async (id: string) => {
    expect((await at.complete(id)).status).toBe(200)
    completed.set(id, epochMilliseconds())
  }
  await Promise.all([
    ...items.map(async (item) => noted.set(item.id, await dueDeadlines(db).note(item))),
    ...ids.map(complete),
  ])

  const events = await loggedEvents(at.firm.owner, 'type=deadline.overdue&type=deadline.completed')
  for (const id of ids) {
    const [ended, ...overdue] = events
      .filter(({ data }) => data.id === id)
      .sort((a, b) => a.type.localeCompare(b.type))
    expect(ended?.type).toBe('deadline.completed')
    expect(overdue.map(({ type }) => type)).toEqual(noted.get(id) ? ['deadline.overdue'] : [])
    // The log has events in the order in which their transactions were built, not written.
    for (const { occurred_at } of overdue)
      expect(Date.parse(occurred_at)).toBeLessThanOrEqual(completed.get(id) ?? 0)
  }
  expect(await inIndex(ids)).toEqual([])
})

it('a deadline that was completed between the read and the write of a sweep is not noted', async () => {
  const { id } = await at.entered()
  const item = only(await inIndex([id]))
  const meanwhile = await tableMeanwhile(() => at.complete(id))

  const noted = await dueDeadlines(meanwhile).note(item)

  expect(noted).toBe(false)
  expect(await overdue()).not.toContain(id)
  expect(await inIndex([id])).toEqual([])
})

it('a deadline whose due time was changed by a release without the index is entered again', async () => {
  const { id } = await at.entered()
  const item = only(await inIndex([id]))
  const early = { ...item, place: `2026-01-01T08:00:00.000Z#${id}` }
  await dueDeadline(db).delete(item).go()
  await dueDeadline(db).put(early).go()

  const noted = await dueDeadlines(db).note(early)

  expect(noted).toBe(false)
  expect(await inIndex([id])).toEqual([item])
  expect(await overdue()).not.toContain(id)
})
