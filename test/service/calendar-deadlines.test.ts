import { setTimeout as sleep } from 'node:timers/promises'
import ICAL from 'ical.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

let firm: Firm
let colleague: Awaited<ReturnType<Firm['colleague']>>
let case_id: string
let deadline: { id: string; title: string; due_at: string }
const day = '2031-04-16'
beforeAll(async () => {
  firm = await newFirm()
  colleague = await firm.colleague()
  case_id = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
  const answer = await firm.owner('POST', '/api/v1/deadlines', {
    body: { title: 'Berufung', case_id, due_at: `${day}T12:00:00+02:00`, assigned_to: colleague.user.id },
  })
  expect(answer.status).toBe(201)
  deadline = answer.body
  for (const [title, start, end] of [
    ['davor', '11:00', '12:30'],
    ['danach', '12:30', '13:00'],
  ] as const) {
    await firm.owner('POST', '/api/v1/events', {
      body: { title, start: `${day}T${start}:00+02:00`, end: `${day}T${end}:00+02:00`, case_id },
    })
  }
})

const events = '/api/v1/calendar/events'
const list = async (query: string) =>
  (await firm.owner('GET', `${events}?${query}`)).body.data as { id: string; title: string; type: string }[]
const titles = async (query: string) => (await list(query)).map(({ title }) => title)

describe('a deadline in the calendar', () => {
  it('is listed among the events by its due time, which is its start and its end', async () => {
    const found = await list(`from=${day}&to=${day}`)

    expect(found.map(({ title }) => title)).toEqual(['davor', 'Berufung', 'danach'])
    expect(found[1]).toMatchObject({
      id: deadline.id,
      type: 'deadline',
      start: deadline.due_at,
      end: deadline.due_at,
      all_day: false,
      case_id,
      attendees: [colleague.user.id],
    })
  })

  it('is shown as overdue if it is past and not completed, verified or not (F15)', async () => {
    const ofCase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Versäumt' } })).body.id
    const enter = async (title: string, due_at: string) =>
      (await firm.owner('POST', '/api/v1/deadlines', { body: { title, case_id: ofCase, due_at } })).body.id
    await enter('offen', '2020-03-02')
    const verified = await enter('geprüft', '2020-03-03')
    await colleague.api('POST', `/api/v1/deadlines/${verified}/verify`)
    const done = await enter('erledigt', '2020-03-04')
    const evidence = { type: 'note', text: 'Getan.' }
    await firm.owner('POST', `/api/v1/deadlines/${done}/complete`, { body: { evidence } })

    const { body } = await firm.owner('GET', `${events}?case_id=${ofCase}`)
    const future = (await list(`from=${day}&to=${day}`)).find(({ id }) => id === deadline.id)
    const one = await firm.owner('GET', `${events}/${verified}`)

    expect(
      body.data.map(({ title, overdue }: { title: string; overdue?: true }) => [title, overdue]),
    ).toEqual([
      ['offen', true],
      ['geprüft', true],
      ['erledigt', undefined],
    ])
    expect(one.body.overdue).toBe(true)
    expect(future).not.toHaveProperty('overdue')
  })

  it('is narrowed by type, case and assignee', async () => {
    expect(await titles(`from=${day}&to=${day}&type=deadline`)).toEqual(['Berufung'])
    expect(await titles(`from=${day}&to=${day}&type=event`)).toEqual(['davor', 'danach'])
    expect(await titles(`case_id=${case_id}`)).toEqual(['davor', 'Berufung', 'danach'])
    expect(await titles(`attendee=${colleague.user.id}`)).toEqual(['Berufung'])
    expect(await titles(`attendee=${firm.ownerUser.id}&case_id=${case_id}`)).toEqual(['davor', 'danach'])
  })

  it('is walked with the events, page by page, each once', async () => {
    const walked: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await firm.owner('GET', `${events}?from=${day}&limit=1${cursor}`)
      walked.push(...body.data.map(({ title }: { title: string }) => title))
      if (!body.pagination.has_more) break
      cursor = `&cursor=${body.pagination.cursor}`
    }

    expect(walked).toEqual(['davor', 'Berufung', 'danach'])
  })

  it('is found under either id, and changed under neither path of events', async () => {
    const frist = deadline.id.replace('evt_', 'frist_')

    const seen = await firm.owner('GET', `/api/v1/events/${frist}`)
    const answers = await Promise.all([
      firm.owner('PATCH', `${events}/${deadline.id}`, { body: { title: 'Anders' } }),
      firm.owner('PATCH', `${events}/${deadline.id}`, { body: { attendees: [firm.ownerUser.id] } }),
      firm.owner('DELETE', `${events}/${frist}`),
      firm.owner('PATCH', `/api/v1/events/${frist}`, { body: {} }),
      firm.owner('DELETE', `/api/v1/events/${deadline.id}`),
    ])

    expect([seen.status, seen.body.id, seen.body.type]).toEqual([200, deadline.id, 'deadline'])
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(5).fill([409, 'IS_DEADLINE']),
    )
  })

  it('blocks nobody', async () => {
    const body = { user_ids: [colleague.user.id], from: day, to: day }

    const busy = await firm.owner('POST', '/api/v1/calendar/availability/freebusy', { body })
    const meeting = await firm.owner('POST', events, {
      body: {
        title: 'Termin',
        start: `${day}T11:30:00+02:00`,
        end: `${day}T12:30:00+02:00`,
        attendees: [colleague.user.id],
      },
    })
    await firm.owner('DELETE', `${events}/${meeting.body.id}`)

    expect([busy.body.busy, meeting.status]).toEqual([[], 201])
  })

  it('is in the feed of its assignee, and is pushed like an event', async () => {
    const near = new Date(epochMilliseconds() + 7 * 86_400_000).toISOString()
    const { body: due } = await firm.owner('POST', '/api/v1/deadlines', {
      body: { title: 'Klageerwiderung', case_id, due_at: near, assigned_to: colleague.user.id },
    })
    const feedOf = async (by: typeof firm.owner) => {
      const { pathname, search } = new URL((await by('POST', '/api/v1/calendar/ical-tokens')).body.url)
      const { body } = await api(sharedService().baseUrl, undefined)('GET', pathname + search)
      return new ICAL.Component(ICAL.parse(body))
        .getAllSubcomponents('vevent')
        .map((one) => new ICAL.Event(one))
    }
    const caldav = await startToyCaldav()
    const login = { provider: 'caldav', url: caldav.url, username: 'u', password: 'p' }
    await firm.owner('POST', '/api/v1/calendar/sync/accounts', { body: login })

    const [mine, theirs] = [await feedOf(firm.owner), await feedOf(colleague.api)]
    const pushed = await firm.owner('POST', `/api/v1/calendar/sync/events/${due.id}/push`)

    caldav.stop()
    expect(mine).toEqual([])
    expect(theirs.map(({ summary, uid }) => [summary, uid])).toEqual([
      ['Frist: Klageerwiderung', `${due.id}@aktenlage`],
    ])
    expect(theirs[0]?.startDate.toJSDate().toISOString()).toBe(`${near.slice(0, 19)}.000Z`)
    expect([pushed.status, pushed.body.event_id]).toEqual([200, due.id])
  })

  it('leaves the calendar when it is struck, and moves when its due time does', async () => {
    const { body: moving } = await firm.owner('POST', '/api/v1/deadlines', {
      body: { title: 'Bewegt', case_id, due_at: '2032-04-16' },
    })
    await firm.owner('PATCH', `/api/v1/deadlines/${moving.id}`, { body: { due_at: '2032-04-20' } })

    expect(await titles('from=2032-04-16&to=2032-04-16')).toEqual([])
    expect(await titles('from=2032-04-20&to=2032-04-20')).toEqual(['Bewegt'])
    await firm.owner('DELETE', `/api/v1/deadlines/${moving.id}`)
    expect(await titles('from=2032-04-20&to=2032-04-20')).toEqual([])
    expect((await firm.owner('GET', `${events}/${moving.id}`)).status).toBe(404)
  })

  it('shows when it was changed last, in the calendar and in the feed', async () => {
    const near = (days: number) => new Date(epochMilliseconds() + days * 86_400_000).toISOString()
    const { body: due } = await firm.owner('POST', '/api/v1/deadlines', {
      body: { title: 'Replik', case_id, due_at: near(20) },
    })
    const { body: created } = await firm.owner('GET', `${events}/${due.id}`)
    // The feed has whole seconds.
    await sleep(1_000)

    await firm.owner('PATCH', `/api/v1/deadlines/${due.id}`, { body: { due_at: near(21) } })

    const { body: changed } = await firm.owner('GET', `${events}/${due.id}`)
    const { pathname, search } = new URL((await firm.owner('POST', '/api/v1/calendar/ical-tokens')).body.url)
    const { body } = await api(sharedService().baseUrl, undefined)('GET', pathname + search)
    const told = new ICAL.Component(ICAL.parse(body))
      .getAllSubcomponents('vevent')
      .find((one) => new ICAL.Event(one).uid === `${due.id}@aktenlage`)
    expect(created.updated_at).toBe(created.created_at)
    expect(changed.updated_at > created.updated_at).toBe(true)
    for (const name of ['dtstamp', 'last-modified'])
      expect(told?.getFirstPropertyValue(name)?.toString()).toBe(`${changed.updated_at.slice(0, 19)}Z`)
  })
})
