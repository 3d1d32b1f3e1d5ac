import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import type { Api } from '#test/support/api.ts'
import { allDue } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { startToyCaldav, type ToyCaldav } from '#test/support/toy-caldav.ts'

let server: ToyCaldav
let firm: Firm
beforeAll(async () => {
  server = await startToyCaldav()
})
beforeEach(async () => {
  server.fail(false)
  server.beforePut(async () => {})
  firm = await newFirm()
})
afterAll(() => server.stop())

const accounts = '/api/v1/calendar/sync/accounts'
const connect = (by: Api): Promise<{ body: { id: string } }> =>
  by('POST', accounts, {
    body: { provider: 'caldav', url: server.url, username: 'vogt', password: 'geheim' },
  })
const enter = async (by: Api): Promise<string> => {
  const times = { start: '2031-04-16T09:00:00+02:00', end: '2031-04-16T10:00:00+02:00' }
  return (
    await by('POST', '/api/v1/events', { body: { title: 'Verhandlung', ...times, allow_conflict: true } })
  ).body.id
}
const push = (by: Api, id: string) => by('POST', `/api/v1/calendar/sync/events/${id}/push`)
const remove = (by: Api, id: string) => by('DELETE', `/api/v1/events/${id}`)
const wasStored = (id: string) => server.stored.has(`/calendar/${id}.ics`)
const isThere = (id: string) => server.objects.has(`/calendar/${id}.ics`)

/** Runs the worker once; the local service does it every minute as well. */
async function runWorker(): Promise<void> {
  Object.assign(process.env, sharedService().environment)
  const { handler } = await import('#functions/workers/calendar-withdrawals/index.ts')
  await handler({}, { getRemainingTimeInMillis: () => 60_000 })
}

/** Runs the worker until the event is gone: the run of the service, which takes its turn too, may still be busy with it. */
const untilGone = (id: string) =>
  vi.waitFor(
    async () => {
      await runWorker()
      expect(isThere(id)).toBe(false)
    },
    { timeout: 110_000, interval: 500 },
  )

async function withdrawalsOf({ workspace }: Firm) {
  const { dueWithdrawals } = await import('#store/calendar/push-store.ts')
  const store = dueWithdrawals(await sharedTable())
  const all = await allDue(store)
  return { store, found: all.filter(({ workspace_id }) => workspace_id === workspace.id) }
}

it('a deleted event is removed from the calendars of all users who pushed it (K11)', async () => {
  const colleague = await firm.colleague()
  const [id, other] = [await enter(firm.owner), await enter(firm.owner)]
  const second = await startToyCaldav()
  await connect(firm.owner)
  await colleague.api('POST', accounts, {
    body: { provider: 'caldav', url: second.url, username: 'celik', password: 'geheim' },
  })
  for (const by of [firm.owner, firm.owner, colleague.api]) expect((await push(by, id)).status).toBe(200)
  await push(firm.owner, other)
  const before = [isThere(id), second.objects.size]

  const deleted = await remove(firm.owner, id)
  await runWorker()

  second.stop()
  expect([before, deleted.status]).toEqual([[true, 1], 204])
  expect([isThere(id), isThere(other), second.objects.size]).toEqual([false, true, 0])
  expect((await withdrawalsOf(firm)).found).toEqual([])
})

it('the service does so by itself, within two minutes', async () => {
  const id = await enter(firm.owner)
  await connect(firm.owner)
  await push(firm.owner, id)

  await remove(firm.owner, id)

  await vi.waitFor(() => expect(isThere(id)).toBe(false), { timeout: 110_000, interval: 500 })
})

it('a server that was down is asked again later, and its account says so meanwhile', async () => {
  const id = await enter(firm.owner)
  await connect(firm.owner)
  await push(firm.owner, id)
  server.fail(true)

  await remove(firm.owner, id)
  await runWorker()
  const { store, found } = await withdrawalsOf(firm)
  const { body } = await firm.owner('GET', '/api/v1/calendar/sync/status')
  server.fail(false)
  await runWorker()
  const tooEarly = isThere(id)
  for (const one of found) await store.postpone(one, systemClock.now().toISOString())
  await runWorker()

  expect(found).toMatchObject([{ event_id: id, attempts: 1 }])
  expect(Date.parse(found[0]?.due_at ?? '') - epochMilliseconds()).toBeGreaterThan(30_000)
  expect(body.accounts).toMatchObject([{ status: 'error', last_error: expect.any(String) }])
  expect([tooEarly, isThere(id)]).toEqual([true, false])
  expect((await withdrawalsOf(firm)).found).toEqual([])
  const { body: after } = await firm.owner('GET', '/api/v1/calendar/sync/status')
  expect(after.accounts).toMatchObject([{ status: 'connected', last_error: null }])
})

it('a deadline that moves while it is pushed is there with its new due time', async () => {
  const { body: ofCase } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Lang' } })
  const { body: deadline } = await firm.owner('POST', '/api/v1/deadlines', {
    body: { title: 'Berufung', case_id: ofCase.id, due_at: '2031-04-16' },
  })
  await connect(firm.owner)
  server.beforePut(async () => {
    server.beforePut(async () => {})
    await firm.owner('PATCH', `/api/v1/deadlines/${deadline.id}`, { body: { due_at: '2031-04-09' } })
  })

  const { status } = await push(firm.owner, deadline.id)

  expect(status).toBe(200)
  expect(server.objects.get(`/calendar/${deadline.id}.ics`)).toContain('DTSTART;VALUE=DATE:20310409')
})

it('a push of an event that changes again and again ends', async () => {
  const id = await enter(firm.owner)
  await connect(firm.owner)
  let changes = 0
  server.beforePut(async () => {
    changes += 1
    await firm.owner('PATCH', `/api/v1/events/${id}`, { body: { title: `Verhandlung ${changes}` } })
  })

  const { status } = await push(firm.owner, id)

  expect([status, changes]).toEqual([503, 5])
})

it('an event that is deleted while it is pushed leaves the calendar too', async () => {
  const id = await enter(firm.owner)
  await connect(firm.owner)
  server.beforePut(async () => {
    await remove(firm.owner, id)
    // The withdrawal that follows the deletion finds nothing there yet.
    await runWorker()
  })

  await push(firm.owner, id)
  expect(wasStored(id)).toBe(true)
  await untilGone(id)
})

it('a push whose answer is lost is withdrawn too', async () => {
  const id = await enter(firm.owner)
  await connect(firm.owner)
  server.beforePut(async () => {
    server.objects.set(`/calendar/${id}.ics`, 'stored before the answer was lost')
    throw new Error('lost')
  })
  const failed = await push(firm.owner, id).catch(() => undefined)

  await remove(firm.owner, id)
  await runWorker()

  expect(failed?.status).toBe(502)
  expect(isThere(id)).toBe(false)
})

it('an event in a disconnected calendar stays there, and removing it is not tried again', async () => {
  const id = await enter(firm.owner)
  const { body } = await connect(firm.owner)
  await push(firm.owner, id)
  await firm.owner('DELETE', `${accounts}/${body.id}`)

  await remove(firm.owner, id)
  await runWorker()

  expect(isThere(id)).toBe(true)
  expect((await withdrawalsOf(firm)).found).toEqual([])
})

describe('a deadline that was pushed', () => {
  const enterDeadline = async (fields: Record<string, unknown> = {}) => {
    const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    const body = { title: 'Berufung', case_id: opened.id, due_at: '2031-04-16', category: 'other', ...fields }
    return (await firm.owner('POST', '/api/v1/deadlines', { body })).body
  }

  it('and is struck leaves the calendar, with its Vorfrist, and no other does', async () => {
    const struck = await enterDeadline({ create_vorfrist: true })
    const kept = await enterDeadline({ create_vorfrist: true })
    await connect(firm.owner)
    const gone = [struck.id, struck.chain.vorfrist]
    const ids = [...gone, kept.id, kept.chain.vorfrist]
    for (const id of ids) expect((await push(firm.owner, id)).status).toBe(200)
    await firm.owner('POST', `/api/v1/deadlines/${kept.id}/complete`, {
      body: { evidence: { type: 'note', text: 'Erledigt.' } },
    })

    const { status } = await firm.owner('DELETE', `/api/v1/deadlines/${struck.id}`, {
      body: { reason: 'Versehen' },
    })
    await runWorker()

    expect(status).toBe(204)
    expect(ids.map(isThere)).toEqual([false, false, true, true])
    expect((await withdrawalsOf(firm)).found).toEqual([])
  })

  it('and stood for an extension that is refused leaves the calendar', async () => {
    const deadline = await enterDeadline()
    const path = `/api/v1/deadlines/${deadline.id}/extension`
    const requested = await firm.owner('POST', path, { body: { requested_until: '2031-05-16T12:00:00Z' } })
    const provisional = requested.body.extension.provisional_id
    await connect(firm.owner)
    for (const id of [deadline.id, provisional]) await push(firm.owner, id)

    const { status } = await firm.owner('POST', `${path}/refuse`, { body: {} })
    await runWorker()

    expect([status, isThere(deadline.id), isThere(provisional)]).toEqual([200, true, false])
  })

  it('and was extended leaves the calendar when it is struck, as its provisional entry did when that was granted', async () => {
    const deadline = await enterDeadline({ create_vorfrist: true })
    const path = `/api/v1/deadlines/${deadline.id}`
    const caseId = deadline.case_id
    await firm.owner('POST', `${path}/extension`, { body: { requested_until: '2031-05-16' } })
    const { body: listed } = await firm.owner('GET', `/api/v1/deadlines?case_id=${caseId}`)
    const own = [deadline.id, deadline.chain.vorfrist]
    const provisional = listed.data
      .map(({ id }: { id: string }) => id)
      .filter((id: string) => !own.includes(id))
    await connect(firm.owner)
    for (const id of [...own, ...provisional]) expect((await push(firm.owner, id)).status).toBe(200)

    const granted = await firm.owner('POST', `${path}/extension/grant`, { body: {} })
    await runWorker()
    const afterGrant = [own.map(isThere), provisional.map(isThere)]
    const struck = await firm.owner('DELETE', path, { body: { reason: 'Klage zurückgenommen' } })
    await runWorker()
    const again = await firm.owner('POST', `${path}/extension/grant`, { body: {} })
    await runWorker()

    expect([granted.status, struck.status]).toEqual([200, 204])
    expect([again.status, again.body.error.code]).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(afterGrant).toEqual([
      [true, true],
      [false, false],
    ])
    expect([...own, ...provisional].map(isThere)).toEqual([false, false, false, false])
    expect((await withdrawalsOf(firm)).found).toEqual([])
  })

  it('and whose extension is requested when it is struck leaves the calendar, with its provisional entry', async () => {
    const { id } = await enterDeadline()
    const path = `/api/v1/deadlines/${id}`
    const requested = await firm.owner('POST', `${path}/extension`, {
      body: { requested_until: '2031-05-16' },
    })
    const provisional = requested.body.extension.provisional_id
    await connect(firm.owner)
    for (const one of [id, provisional]) expect((await push(firm.owner, one)).status).toBe(200)

    await firm.owner('DELETE', path, { body: { reason: 'Versehen' } })
    await runWorker()
    const granted = await firm.owner('POST', `${path}/extension/grant`, { body: {} })
    await runWorker()

    expect([granted.status, granted.body.error.code]).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect([id, provisional].map(isThere)).toEqual([false, false])
    expect((await withdrawalsOf(firm)).found).toEqual([])
  })

  it('and is struck while it is pushed leaves the calendar', async () => {
    const { id } = await enterDeadline()
    await connect(firm.owner)
    server.beforePut(async () => {
      await firm.owner('DELETE', `/api/v1/deadlines/${id}`, { body: { reason: 'Versehen' } })
      await runWorker()
    })

    await push(firm.owner, id)
    expect(wasStored(id)).toBe(true)
    await untilGone(id)
  })
})
