import { beforeAll, describe, expect, it } from 'vitest'
import type { EventRecord } from '#calendar/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { calendarStore as makeCalendarStore } from '#store/calendar/calendar-store.ts'
import type { Db } from '#store/db.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { ownTable } from '#test/support/own-table.ts'
import { unhurried } from '#test/support/unhurried.ts'

const people = Array.from({ length: 50 }, () => newId('user'))
const day = (date: string) => ({
  starts_at: `${date}T08:00:00.000Z`,
  ends_at: `${date}T09:00:00.000Z`,
  all_day: false,
  first_day: null,
  last_day: null,
})
const holidays = {
  starts_at: '2026-12-24T00:00:00.000Z',
  ends_at: '2027-02-07T00:00:00.000Z',
  all_day: true,
  first_day: '2026-12-24',
  last_day: '2027-02-06',
}
const eventOf = (workspace_id: string, changes: Partial<EventRecord>): EventRecord => ({
  workspace_id,
  id: newId('event'),
  title: 'Versammlung',
  type: 'meeting',
  ...day('2026-05-04'),
  case_id: null,
  location: null,
  description: null,
  attendees: people,
  created_by: people[0] ?? '',
  created_at: '2026-03-16T08:30:00.000Z',
  updated_at: '2026-03-16T08:30:00.000Z',
  deleted_at: null,
  version: 1,
  ...changes,
})

let tableOfThisFile: Promise<Db> | undefined

/** A store whose follow-ups fail after each transaction, like in a crashed process, until `live` is called. */
async function mortalStore(): Promise<{
  store: ReturnType<typeof makeCalendarStore>
  /** Files `count` events that do not exist in the agenda of each person for a month. */
  crowd: (workspaceId: string, bucket: string, count: number) => Promise<unknown>
  live: () => Promise<unknown>
}> {
  const [{ tableCursors }, { outbox }, stores, { writeAll }, { agendaEntity }] = await Promise.all([
    import('#store/cursor.ts'),
    import('#store/outbox.ts'),
    import('#store/calendar/calendar-store.ts'),
    import('#store/batch.ts'),
    import('#store/calendar/agenda-entity.ts'),
  ])
  tableOfThisFile ??= ownTable()
  const db = await tableOfThisFile
  let followUpsFail = true
  const runner = jobRunner()
  const jobs = outbox(
    db,
    {
      run: async (job) => {
        if (followUpsFail) throw new Error('The process has ended.')
        await runner.run(job)
      },
    },
    { error: () => {} },
  )
  const store = stores.calendarStore({
    db,
    cursors: tableCursors(db),
    deadlines: { due: async () => [], find: async () => undefined },
    outbox: jobs,
  })
  runner.handle(stores.agendasFollowUp(store))
  const crowd = async (workspace_id: string, bucket: string, count: number) => {
    const agendas = agendaEntity(db)
    const events = JSON.stringify(
      Array.from({ length: count }, () => ({
        id: newId('event'),
        s: `${bucket}-01T00:00:00.000Z`,
        e: `${bucket}-02T00:00:00.000Z`,
      })),
    )
    const puts = people.map((user_id) =>
      agendas.put({ workspace_id, user_id, kind: 'month', bucket, events, token: 'crowd' }),
    )
    await writeAll(db, puts)
  }
  return {
    store,
    crowd,
    live: () => {
      followUpsFail = false
      const log = { error: () => {} }
      const now = new Date(epochMilliseconds() + 120_000)
      return sweepJobs({ store: jobStore(db), runner, log }, now, unhurried)
    },
  }
}

describe('where the process dies right after the transaction', () => {
  let mortal: Awaited<ReturnType<typeof mortalStore>>
  beforeAll(async () => {
    mortal = await mortalStore()
  })
  const add = (record: EventRecord) => mortal.store.add({ record, check: true, answer: undefined })
  const listOf = async (workspaceId: string, attendee: string) =>
    (await mortal.store.page(workspaceId, { attendee, time_zone: 'Europe/Berlin' }, { limit: 50 })).data
      .length
  const range = (date: string) => ({ start: `${date}T00:00:00.000Z`, end: `${date}T23:00:00.000Z` })

  it('an event of fifty that moved keeps nobody at its old time, and everybody at the new one', async () => {
    const workspace = newId('workspace')
    const record = eventOf(workspace, {})
    await add(record)
    await mortal.store.change(workspace, record.id, (current) => ({
      record: { ...current, ...day('2026-05-05'), version: 2 },
      check: true,
      answer: undefined,
    }))

    const listed = await Promise.all(people.map((person) => listOf(workspace, person)))
    const atOldTime = add(eventOf(workspace, { attendees: people.slice(40) }))
    const atNewTime = people.map((person) =>
      add(eventOf(workspace, { attendees: [person], ...day('2026-05-05') })).then(
        () => 'entered',
        (error: { code: string }) => error.code,
      ),
    )

    expect(listed).toEqual(people.map(() => 1))
    await expect(atOldTime).resolves.toBeUndefined()
    expect(await Promise.all(atNewTime)).toEqual(people.map(() => 'SLOT_CONFLICT'))
    await mortal.live()
    const busy = await mortal.store.busy(workspace, people, range('2026-05-04'))
    expect(people.filter((person) => (busy.get(person) ?? []).length > 0)).toEqual(people.slice(40))
  })

  it('an all-day event is taken where each of its fifty has a thousand that month', async () => {
    const workspace = newId('workspace')
    const { store, crowd, live } = await mortalStore()
    await crowd(workspace, '2027-01', 1_000)

    await store.add({ record: eventOf(workspace, holidays), check: true, answer: undefined })

    await live()
    const [first = '', last = ''] = [people[0], people.at(-1)]
    expect([await listOf(workspace, first), await listOf(workspace, last)]).toEqual([1, 1])
  })

  it('the sweeper files an all-day event of fifty over months with each of them, and removes it again', async () => {
    const workspace = newId('workspace')
    const { store, live } = await mortalStore()
    const record = eventOf(workspace, holidays)
    await store.add({ record, check: true, answer: undefined })

    await live()
    const filed = await Promise.all(people.map((person) => listOf(workspace, person)))
    await store.change(workspace, record.id, (current) => ({
      record: { ...current, deleted_at: '2026-04-01T00:00:00.000Z', version: 2 },
      check: false,
      answer: undefined,
    }))
    const gone = await Promise.all(people.map((person) => listOf(workspace, person)))

    expect(filed).toEqual(people.map(() => 1))
    expect(gone).toEqual(people.map(() => 0))
  })
})

it('an event of eight thousand years for fifty is refused before its days are listed', async () => {
  const { store } = await mortalStore()
  const record = eventOf(newId('workspace'), {
    starts_at: '1900-01-01T00:00:00.000Z',
    ends_at: '9998-12-31T00:00:00.000Z',
  })

  const refused = await store.add({ record, check: true, answer: undefined }).catch((error) => error)

  expect(refused).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(/^A timed event of 2958099 days is too long/),
  })
})
