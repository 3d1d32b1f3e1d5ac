import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { calendarStore } from '#store/calendar/calendar-store.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { deadlineEntity } from '#store/deadlines/deadline-entity.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { dueLists } from '#store/deadlines/due-lists.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { sharedTable } from '#test/support/table.ts'

/** Deadlines whose case a release deleted that did not mark them. */

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

/** A process that has looked at no case yet. */
async function newProcess() {
  const db: Db = { ...(await sharedTable()) }
  const outbox = { commit: async () => {}, enqueue: async () => {} } as never
  const cursors = tableCursors(db)
  const deadlines = deadlineStore({ db, cursors, outbox })
  return { db, deadlines, calendar: calendarStore({ db, cursors, outbox, deadlines }) }
}

/** Takes the marks of these deadlines away, from records and lists. */
async function unmark(ids: readonly string[]): Promise<void> {
  const { db, deadlines } = await newProcess()
  const workspace_id = at.firm.workspace.id
  for (const id of ids) {
    const marked = await deadlines.find(workspace_id, id)
    await deadlineEntity(db).patch({ workspace_id, id }).remove(['case_deleted_at']).go()
    const { data } = await deadlineEntity(db).get({ workspace_id, id }).go()
    if (marked === undefined || data === null) throw new Error(`There is no deadline ${id}.`)
    const { transact } = await import('#store/transact.ts')
    const changed_at = systemClock.now().toISOString()
    const list = dueLists(db).changes(marked, { ...marked, case_deleted_at: null, changed_at })
    await transact(db, list)
  }
}

describe('a deadline whose case was deleted without marking it', () => {
  it.each([
    ['an open one', async () => {}],
    ['a verified one', async (id: string) => void (await at.verify(id))],
    ['a completed one', async (id: string) => void (await at.complete(id))],
  ])('shows it wherever it is read: %s', async (_, prepare) => {
    const workspaceId = at.firm.workspace.id
    const case_id = await at.openCase()
    const { id, chain } = await at.entered({ case_id, create_vorfrist: true })
    const other = await at.entered()
    await prepare(id)
    await at.firm.owner('DELETE', `/api/v1/cases/${case_id}`)
    const { case_deleted_at } = await at.read(id)
    await unmark([id, chain.vorfrist])
    const { db, deadlines, calendar } = await newProcess()
    const states = ['open', 'verified', 'completed'] as const
    const request = { limit: 50, cursor: undefined }

    const stored = await dueLists(db).due(workspaceId, { states, case_id }, { limit: 10 })
    const found = [
      [await deadlines.find(workspaceId, id)],
      await deadlines.findAll(workspaceId, [id, chain.vorfrist]),
      await deadlines.due(workspaceId, { states, case_id }, { limit: 10 }),
      (await deadlines.page(workspaceId, ['test'], { states, case_id }, request)).data,
      await deadlines.complete(stored),
      (await calendar.page(workspaceId, { case_id, time_zone: 'Europe/Berlin' }, request)).data.map(
        ({ record }) => record,
      ),
      [await calendar.findDeadline(workspaceId, id)],
    ].map((records) => records.map((one) => one && 'case_deleted_at' in one && one.case_deleted_at))

    expect(stored.map((one) => one.case_deleted_at)).toEqual([null, null])
    expect(found).toEqual([1, 2, 2, 2, 2, 2, 1].map((count) => Array(count).fill(case_deleted_at)))
    expect((await deadlines.find(workspaceId, other.id))?.case_deleted_at).toBeNull()
  })
})

describe('the calendar', () => {
  it('shows of a deadline, and of no event, that the case was deleted', async () => {
    const case_id = await at.openCase()
    const { id } = await at.entered({ case_id })
    const day = '2031-04-16'
    const event = await at.firm.owner('POST', '/api/v1/events', {
      body: { title: 'Termin', start: `${day}T09:00:00Z`, end: `${day}T10:00:00Z`, case_id },
    })
    const listed = async () =>
      (await at.firm.owner('GET', `/api/v1/events?case_id=${case_id}`)).body.data.map(
        (one: { id: string; case_deleted_at?: string }) => [one.id, one.case_deleted_at],
      )
    const before = await listed()

    await at.firm.owner('DELETE', `/api/v1/cases/${case_id}`)

    const { case_deleted_at } = await at.read(id)
    expect(case_deleted_at).toEqual(expect.any(String))
    expect(before.toSorted()).toEqual(
      [
        [event.body.id, undefined],
        [id, undefined],
      ].toSorted(),
    )
    expect((await listed()).toSorted()).toEqual(
      [
        [event.body.id, undefined],
        [id, case_deleted_at],
      ].toSorted(),
    )
    const one = await at.firm.owner('GET', `/api/v1/calendar/events/${id}`)
    expect(one.body.case_deleted_at).toBe(case_deleted_at)
  })
})
