import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, api } from '#test/support/api.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { type Service, startService } from '#test/support/service.ts'
import { shownEvents } from '#test/support/webhook-events.ts'

/** `deadline.overdue` (E1, E10), on a service whose clock the tests move. */

const minute = 60_000

let service: Service
let owner: Api
let case_id: string
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty', '--at', '2027-01-04T08:00:00+01:00'] })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
  case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
})
afterAll(() => service.stop())

const now = async (): Promise<number> =>
  Date.parse(((await (await fetch(`${service.baseUrl}/local/clock`)).json()) as { now: string }).now)

/** A time as deadlines have them: without fractions of a second. */
const inMinutes = async (minutes: number) =>
  `${new Date((await now()) + minutes * minute).toISOString().slice(0, 19)}Z`

const act = async (method: string, path: string, body: object) => {
  const answer = await owner(method, path, { body })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}
const enter = async (due_at: string): Promise<string> =>
  (await act('POST', '/api/v1/deadlines', { title: 'Berufung', case_id, due_at })).id
const on = (id: string, action: string, body: object) =>
  act('POST', `/api/v1/deadlines/${id}/${action}`, body)
const complete = (id: string) => on(id, 'complete', { evidence: { type: 'note', text: 'Per Boten' } })

/** When the log says that a deadline is overdue, after everything that has happened is in it. */
const overdueAt = async (id: string): Promise<number[]> => {
  await moveClock(service, 'PT3S')
  return (await shownEvents(owner, 'type=deadline.overdue'))
    .filter(({ data }) => data.id === id)
    .map(({ occurred_at, data }) => {
      expect(data).toEqual({ id, case_id })
      return Date.parse(occurred_at)
    })
}

it('a deadline whose time passes is overdue once, within two minutes', async () => {
  const due_at = await inMinutes(30)
  const id = await enter(due_at)
  await moveClock(service, 'PT29M')
  const before = await overdueAt(id)

  await moveClock(service, 'PT3M')
  await moveClock(service, 'PT2H')

  const [at = 0, ...others] = await overdueAt(id)
  expect(before).toEqual([])
  expect(at - Date.parse(due_at)).toBeGreaterThanOrEqual(0)
  expect(at - Date.parse(due_at)).toBeLessThan(2 * minute)
  expect(others).toEqual([])
})

it('a deadline that is created in the past is overdue at once', async () => {
  const id = await enter(await inMinutes(-60 * 24 * 3))

  const events = await overdueAt(id)
  await moveClock(service, 'PT5M')

  expect(events).toHaveLength(1)
  expect(await overdueAt(id)).toEqual(events)
})

it.each([
  ['completed', complete],
  ['struck', (id: string) => act('DELETE', `/api/v1/deadlines/${id}`, { reason: 'Doppelt' })],
  ['put off', (id: string) => act('PATCH', `/api/v1/deadlines/${id}`, { due_at: '2031-04-16' })],
])('a deadline that was %s before its time is not overdue', async (_, change) => {
  const id = await enter(await inMinutes(30))
  await change(id)

  await moveClock(service, 'PT1H')

  expect(await overdueAt(id)).toEqual([])
})

it('a verified deadline is overdue too, and so is that of a deleted case', async () => {
  const other = (await act('POST', '/api/v1/cases', { name: 'Gelöschte Akte' })).id
  const body = { title: 'Klage', case_id: other, due_at: await inMinutes(30) }
  const { id } = await act('POST', '/api/v1/deadlines', body)
  await owner('DELETE', `/api/v1/cases/${other}`)

  await moveClock(service, 'PT1H')
  await moveClock(service, 'PT3S')

  const events = await shownEvents(owner, `type=deadline.overdue&case_id=${other}`)
  expect(events.map(({ data }) => data)).toEqual([{ id, case_id: other }])
})

it('a deadline that is reopened is overdue if it was not before', async () => {
  const [said, unsaid] = [await enter(await inMinutes(30)), await enter(await inMinutes(30))]
  await complete(unsaid)
  await moveClock(service, 'PT1H')
  await complete(said)

  for (const id of [said, unsaid]) await on(id, 'reopen', { reason: 'Irrtum' })
  await moveClock(service, 'PT2M')

  expect(await overdueAt(said)).toHaveLength(1)
  expect(await overdueAt(unsaid)).toHaveLength(1)
})

it('a deadline that gets another due time is overdue once for each', async () => {
  const first = await inMinutes(30)
  const id = await enter(first)
  const moveTo = (due_at: string) => act('PATCH', `/api/v1/deadlines/${id}`, { due_at })
  await moveClock(service, 'PT1H')
  await moveTo(await inMinutes(60))
  await moveClock(service, 'PT2H')
  const both = await overdueAt(id)

  await moveTo(first)
  await moveClock(service, 'PT2M')
  const back = await overdueAt(id)
  await moveTo(await inMinutes(-20))
  await moveClock(service, 'PT2M')

  expect(both).toHaveLength(2)
  expect(back).toEqual(both)
  expect(await overdueAt(id)).toHaveLength(3)
})

it('hundred deadlines of one moment are all overdue in it', async () => {
  const due_at = await inMinutes(60 * 24)
  const ids = await Promise.all(Array.from({ length: 100 }, () => enter(due_at)))

  await moveClock(service, 'P2D')
  await moveClock(service, 'PT3S')

  const events = await shownEvents(owner, 'type=deadline.overdue')
  const found = events.filter(({ data }) => ids.includes(data.id))
  expect(new Set(found.map(({ data }) => data.id))).toEqual(new Set(ids))
  expect(found).toHaveLength(100)
  for (const { occurred_at } of found)
    expect(Date.parse(occurred_at) - Date.parse(due_at)).toBeLessThan(2 * minute)
})
