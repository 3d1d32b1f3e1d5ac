import { expect, it } from 'vitest'
import { pushedEvent } from '#store/calendar/pushed-event-entity.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { sharedTable } from '#test/support/table.ts'

const [hauptfrist, vorfrist] = ['Hauptfrist', 'Vorfrist'].map(
  (kind) =>
    `Die ${kind} steht in einem externen Kalender noch zur alten Zeit: Sie muss erneut dorthin übertragen werden.`,
)

it('a deadline that moves says which deadlines of its chain an external calendar shows at their old time', async () => {
  const at = await newDeadlineFirm()
  const db = await sharedTable()
  const pushed = (event_id: string) =>
    pushedEvent(db)
      .put({ workspace_id: at.firm.workspace.id, event_id, user_id: at.third.user.id, account_id: 'sync_1' })
      .go()
  const { id, chain } = await at.entered({ create_vorfrist: true })
  const warningsOf = async (answer: Promise<{ body: { warnings: string[] } }>) => (await answer).body.warnings
  const extend = (path: string, body = {}) =>
    at.firm.owner('POST', `/api/v1/deadlines/${id}/extension${path}`, { body })

  const before = await warningsOf(at.change(id, { due_at: '2031-04-17' }))
  await pushed(id)
  const renamed = await warningsOf(at.change(id, { title: 'Beschwerde' }))
  const moved = await warningsOf(at.change(id, { due_at: '2031-04-18' }))
  await pushed(chain.vorfrist)
  await pushed((await extend('', { requested_until: '2031-05-15' })).body.extension.provisional_id)
  const requested = await warningsOf(extend('', { requested_until: '2031-05-16' }))
  const granted = await warningsOf(extend('/grant'))

  expect([before, renamed]).toEqual([[], []])
  expect(moved).toEqual(expect.arrayContaining([hauptfrist]))
  expect(moved).not.toContain(vorfrist)
  expect(requested).toEqual([hauptfrist])
  expect(granted).toEqual([hauptfrist, vorfrist])
})
