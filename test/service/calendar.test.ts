import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let colleague: Awaited<ReturnType<Firm['colleague']>>
beforeAll(async () => {
  firm = await newFirm()
  colleague = await firm.colleague()
})

const events = '/api/v1/calendar/events'
const at = (day: string, time: string) => `${day}T${time}:00+02:00`
const enter = async (body: Record<string, unknown>, by: Api = firm.owner) =>
  (await by('POST', events, { body: { title: 'Termin', ...body } })).body
const openCase = async (by: Api = firm.owner) =>
  (await by('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id as string
const titles = (answer: { body: { data: { title: string }[] } }) => answer.body.data.map(({ title }) => title)
const timelineOf = async (id: string) =>
  (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body.data as { type: string; summary: string }[]

describe('entering an event', () => {
  it('answers 201 with the whole event, in the time of the firm', async () => {
    const case_id = await openCase()

    const { status, body, headers } = await firm.owner('POST', events, {
      body: {
        title: '  Gütetermin ',
        start: '2026-07-01T07:00:00Z',
        end: '2026-07-01T10:30:00.000+02:00',
        case_id,
        location: 'Saal 1807',
        description: 'Mit Mandantin',
        attendees: [colleague.user.id, firm.ownerUser.id, colleague.user.id.slice(4)],
      },
    })

    expect(status).toBe(201)
    expect(headers.get('etag')).toBeTruthy()
    expect(body).toMatchObject({
      title: 'Gütetermin',
      type: 'event',
      start: '2026-07-01T09:00:00+02:00',
      end: '2026-07-01T10:30:00+02:00',
      all_day: false,
      case_id,
      location: 'Saal 1807',
      description: 'Mit Mandantin',
      attendees: [colleague.user.id, firm.ownerUser.id],
      created_by: firm.ownerUser.id,
    })
    expect(body.id).toMatch(/^evt_/)
  })

  it('takes whole days as dates, the last included', async () => {
    const body = await enter({ all_day: true, start: '2026-12-24', end: '2026-12-24' })

    expect(body).toMatchObject({
      all_day: true,
      start: '2026-12-24T00:00:00+01:00',
      end: '2026-12-24T23:59:59+01:00',
    })
  })

  it('takes whole days as moments: an end at midnight is the end of the day before', async () => {
    const body = await enter({
      all_day: true,
      start: '2026-12-28T00:00:00+01:00',
      end: '2026-12-30T00:00:00+01:00',
    })

    expect([body.start, body.end]).toEqual(['2026-12-28T00:00:00+01:00', '2026-12-29T23:59:59+01:00'])
  })

  const start = at('2026-05-04', '09:00')
  const end = at('2026-05-04', '10:00')
  it.each([
    ['no title', { title: undefined, start, end }, 'VALIDATION_ERROR'],
    ['a time without a zone', { start: '2026-05-04T09:00:00', end }, 'VALIDATION_ERROR'],
    ['the 31st of February', { start: '2026-02-31T09:00:00Z', end }, 'VALIDATION_ERROR'],
    ['the year 10000', { start, end: '+010000-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
    [
      'the last minute of year 9999 in the west',
      { start, end: '9999-12-31T23:59:00-10:00' },
      'VALIDATION_ERROR',
    ],
    ['an end before the start', { start: end, end: start }, 'INVALID_DATE_RANGE'],
    ['an end at the start', { start, end: start }, 'INVALID_DATE_RANGE'],
    [
      'less than a second',
      { start: '2026-05-04T09:00:00.100Z', end: '2026-05-04T09:00:00.900Z' },
      'INVALID_DATE_RANGE',
    ],
    ['a date that is not all-day', { start: '2026-05-04', end: '2026-05-05' }, 'VALIDATION_ERROR'],
    [
      'all-day days in reverse',
      { all_day: true, start: '2026-05-05', end: '2026-05-04' },
      'INVALID_DATE_RANGE',
    ],
    ['an all-day century', { all_day: true, start: '2026-01-01', end: '2125-12-31' }, 'VALIDATION_ERROR'],
    ['a timed century', { start, end: '2126-05-04T09:00:00Z' }, 'VALIDATION_ERROR'],
    ['the type deadline', { start, end, type: 'deadline' }, 'VALIDATION_ERROR'],
    ['another type', { start, end, type: 'party' }, 'VALIDATION_ERROR'],
    ['a title of 501 characters', { start, end, title: 'x'.repeat(501) }, 'VALIDATION_ERROR'],
    [
      'a description of 20 001 characters',
      { start, end, description: 'x'.repeat(20_001) },
      'VALIDATION_ERROR',
    ],
    ['attendees that are no list', { start, end, attendees: 'all' }, 'VALIDATION_ERROR'],
    ['allow_conflict that is no boolean', { start, end, allow_conflict: 'yes' }, 'VALIDATION_ERROR'],
    [
      '51 attendees',
      { start, end, attendees: Array.from({ length: 51 }, (_, n) => `usr_${n}`) },
      'VALIDATION_ERROR',
    ],
  ])('refuses %s', async (_, body, code) => {
    const answer = await firm.owner('POST', events, { body: { title: 'Termin', ...body } })

    expect([answer.status, answer.body.error.code]).toEqual([400, code])
  })

  it('refuses unknown attendees and cases, also of another workspace', async () => {
    const stranger = await newFirm()
    const times = { start, end }

    const answers = await Promise.all(
      [
        { attendees: ['usr_unknown'] },
        { attendees: [firm.ownerUser.id, stranger.ownerUser.id] },
        { case_id: 'unknown' },
        { case_id: await openCase(stranger.owner) },
      ].map((body) => firm.owner('POST', events, { body: { title: 'Termin', ...times, ...body } })),
    )

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'USER_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
    ])
    expect(titles(await firm.owner('GET', `${events}?from=2026-05-04&to=2026-05-04`))).toEqual([])
  })

  it('takes no deactivated attendee, but one who was invited before may stay', async () => {
    const [former, never] = [await firm.colleague(), await firm.colleague()]
    const body = { title: 'Termin', start, end, allow_conflict: true }
    const { id } = (await firm.owner('POST', events, { body: { ...body, attendees: [former.user.id] } })).body
    for (const { user } of [former, never])
      await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })
    const keep = { attendees: [former.user.id, firm.ownerUser.id], allow_conflict: true }

    const answers = [
      await firm.owner('POST', events, { body: { ...body, attendees: [never.user.id] } }),
      await firm.owner('PATCH', `${events}/${id}`, { body: { attendees: [former.user.id, never.user.id] } }),
      await firm.owner('PATCH', `${events}/${id}`, { body: keep }),
    ]

    await firm.owner('DELETE', `${events}/${id}`)
    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [404, 'USER_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
      [200, undefined],
    ])
    expect(answers[1]?.body.error.details).toEqual([
      { path: 'body.attendees', message: `${never.user.id} is deactivated.` },
    ])
  })

  it('takes fifty attendees, and moves and deletes their event', async () => {
    const big = await newFirm()
    const people = await Promise.all(Array.from({ length: 49 }, () => big.colleague()))
    const attendees = [big.ownerUser.id, ...people.map(({ user }) => user.id)]

    const created = await big.owner('POST', events, {
      body: {
        title: 'Versammlung',
        attendees,
        start: at('2026-05-04', '18:00'),
        end: at('2026-05-05', '02:00'),
      },
    })
    const moved = await big.owner('PATCH', `${events}/${created.body.id}`, {
      body: { start: at('2026-05-11', '18:00'), end: at('2026-05-12', '02:00') },
    })
    const oldDay = await big.owner('POST', '/api/v1/calendar/availability/freebusy', {
      body: { user_ids: attendees, from: '2026-05-04', to: '2026-05-05' },
    })
    const newDay = await big.owner('POST', '/api/v1/calendar/availability/freebusy', {
      body: { user_ids: attendees, from: '2026-05-11', to: '2026-05-12' },
    })
    const retreat = await big.owner('POST', events, {
      body: { title: 'Klausur', attendees, all_day: true, start: '2026-12-24', end: '2027-01-06' },
    })
    const listed = await big.owner('GET', `${events}?attendee=${attendees[49]}`)
    const deleted = await big.owner('DELETE', `${events}/${retreat.body.id}`)

    expect([created.status, moved.status, retreat.status, deleted.status]).toEqual([201, 200, 201, 204])
    expect(oldDay.body.busy).toEqual([])
    expect(newDay.body.busy).toHaveLength(50)
    expect(titles(listed)).toEqual(['Versammlung', 'Klausur'])
    expect(titles(await big.owner('GET', `${events}?attendee=${attendees[49]}`))).toEqual(['Versammlung'])
  })
})

describe('changing and deleting an event', () => {
  it('changes only the fields in the body, and null clears', async () => {
    const { id } = await enter({
      start: at('2026-06-01', '09:00'),
      end: at('2026-06-01', '10:00'),
      location: 'Büro',
      description: 'Text',
      type: 'meeting',
    })

    const { status, body } = await firm.owner('PATCH', `${events}/${id}`, {
      body: { title: 'Neu', location: null, type: null, all_day: null, end: at('2026-06-01', '11:00') },
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      title: 'Neu',
      location: null,
      type: 'event',
      all_day: false,
      description: 'Text',
      start: at('2026-06-01', '09:00'),
      end: at('2026-06-01', '11:00'),
    })
    expect((await firm.owner('GET', `${events}/${id}`)).body).toEqual(body)
  })

  it('makes a timed event all-day, and an all-day event timed if a time is given', async () => {
    const { id } = await enter({ start: at('2026-06-02', '09:00'), end: at('2026-06-03', '10:00') })

    const allDay = await firm.owner('PATCH', `${events}/${id}`, { body: { all_day: true } })
    const unclear = await firm.owner('PATCH', `${events}/${id}`, { body: { all_day: false } })
    const timed = await firm.owner('PATCH', `${events}/${id}`, {
      body: { all_day: false, start: at('2026-06-02', '12:00'), end: at('2026-06-02', '13:00') },
    })

    expect([allDay.body.start, allDay.body.end]).toEqual([
      at('2026-06-02', '00:00'),
      '2026-06-03T23:59:59+02:00',
    ])
    expect([unclear.status, unclear.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect([timed.body.start, timed.body.end]).toEqual([at('2026-06-02', '12:00'), at('2026-06-02', '13:00')])
  })

  it.each([
    ['an end before the start that stays', { end: at('2026-06-05', '08:00') }, 400, 'INVALID_DATE_RANGE'],
    ['a start without zone', { start: '2026-06-05T08:00:00' }, 400, 'VALIDATION_ERROR'],
    ['the type deadline', { type: 'deadline' }, 400, 'VALIDATION_ERROR'],
    ['an empty title', { title: ' ' }, 400, 'VALIDATION_ERROR'],
    ['no title', { title: null }, 400, 'VALIDATION_ERROR'],
    ['an unknown attendee', { attendees: ['usr_unknown'] }, 404, 'USER_NOT_FOUND'],
    ['an unknown case', { case_id: 'unknown' }, 404, 'CASE_NOT_FOUND'],
  ])('refuses %s', async (_, body, status, code) => {
    const { id } = await enter({
      start: at('2026-06-05', '09:00'),
      end: at('2026-06-05', '10:00'),
      allow_conflict: true,
    })

    const answer = await firm.owner('PATCH', `${events}/${id}`, { body })

    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  it.each([
    [{ end: at('2026-06-05', '08:00') }, 'body.end'],
    [{ start: at('2026-06-05', '11:00') }, 'body.start'],
    [{ all_day: true, end: '2026-06-04' }, 'body.end'],
  ])('names a time of the request if it does not fit the time that stays: %j', async (body, path) => {
    const { id } = await enter({
      start: at('2026-06-05', '09:00'),
      end: at('2026-06-05', '10:00'),
      allow_conflict: true,
    })

    const answer = await firm.owner('PATCH', `${events}/${id}`, { body })

    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('names the time that is missing if an all-day event becomes a timed one', async () => {
    const { id } = await enter({ all_day: true, start: '2026-06-05', end: '2026-06-05' })

    const answer = await firm.owner('PATCH', `${events}/${id}`, {
      body: { all_day: false, start: at('2026-06-05', '09:00') },
    })

    expect(answer.body.error.details[0].path).toBe('body.end')
  })

  it('is refused with 412 for another state than the one that was read', async () => {
    const created = await firm.owner('POST', events, {
      body: { title: 'Bedingt', start: at('2026-06-08', '09:00'), end: at('2026-06-08', '10:00') },
    })
    const headers = { 'If-Match': created.headers.get('etag') ?? '' }
    const path = `${events}/${created.body.id}`

    const first = await firm.owner('PATCH', path, { body: { title: 'Erste' }, headers })
    const second = await firm.owner('PATCH', path, { body: { title: 'Zweite' }, headers })
    const removal = await firm.owner('DELETE', path, { headers })
    const unchanged = await firm.owner('GET', path, {
      headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
    })
    const gone = await firm.owner('DELETE', path, {
      headers: { 'If-Match': first.headers.get('etag') ?? '' },
    })

    expect([first.status, second.status, removal.status, unchanged.status, gone.status]).toEqual([
      200, 412, 412, 304, 204,
    ])
  })

  it('leaves a deleted event in no list and no calendar', async () => {
    const case_id = await openCase()
    const { id } = await enter({
      start: at('2026-06-09', '09:00'),
      end: at('2026-06-10', '10:00'),
      case_id,
      attendees: [colleague.user.id],
    })

    const { status } = await firm.owner('DELETE', `${events}/${id}`)

    expect(status).toBe(204)
    const lists = [
      '?from=2026-06-09&to=2026-06-10',
      `?case_id=${case_id}`,
      `?attendee=${colleague.user.id}&from=2026-06-09&to=2026-06-10`,
      '?from=2026-06-10&to=2026-06-10',
    ]
    for (const list of lists) expect(titles(await firm.owner('GET', events + list))).toEqual([])
    expect((await firm.owner('GET', `${events}/${id}`)).body.error.code).toBe('EVENT_NOT_FOUND')
    expect((await firm.owner('DELETE', `${events}/${id}`)).body.error.code).toBe('EVENT_NOT_FOUND')
    expect((await firm.owner('PATCH', `${events}/${id}`, { body: { title: 'x' } })).status).toBe(404)
  })

  it('treats events of another workspace like none', async () => {
    const stranger = await newFirm()
    const { id } = await enter({ start: at('2026-06-11', '09:00'), end: at('2026-06-11', '10:00') })

    const answers = await Promise.all([
      stranger.owner('GET', `${events}/${id}`),
      stranger.owner('PATCH', `${events}/${id}`, { body: { title: 'Fremd' } }),
      stranger.owner('DELETE', `${events}/${id}`),
      stranger.owner('DELETE', `/api/v1/events/${id}`),
    ])

    expect(answers.map(({ body }) => body.error.code)).toEqual(Array(4).fill('EVENT_NOT_FOUND'))
  })
})

describe('the timeline of a case', () => {
  it('has exactly one entry for each change of its events', async () => {
    const [one, other] = [await openCase(), await openCase()]
    const { id } = await enter({
      title: 'Verhandlung',
      start: at('2026-06-15', '09:00'),
      end: at('2026-06-15', '10:00'),
      case_id: one,
    })
    const change = (body: unknown) => firm.owner('PATCH', `${events}/${id}`, { body })

    await change({ start: at('2026-06-15', '09:30'), location: 'Saal 2' })
    await change({ location: 'Saal 2' })
    await change({ start: `${at('2026-06-15', '09:30').slice(0, 16)}:20+02:00` })
    await change({ case_id: other })
    await firm.owner('DELETE', `${events}/${id}`)

    expect((await timelineOf(one)).map(({ type }) => type)).toEqual([
      'event.unassigned',
      'event.updated',
      'event.updated',
      'event.created',
      'case.created',
    ])
    expect((await timelineOf(one))[1]?.summary).toBe('Termin „Verhandlung“ geändert: Uhrzeit um Sekunden')
    expect((await timelineOf(one))[2]?.summary).toBe(
      'Termin „Verhandlung“ geändert: verlegt von 15.06.2026, 09:00 bis 10:00 Uhr auf 15.06.2026, 09:30 bis 10:00 Uhr, Ort „Saal 2“',
    )
    expect((await timelineOf(other)).map(({ type }) => type)).toEqual([
      'event.deleted',
      'event.assigned',
      'case.created',
    ])
  })
})

describe('the two paths to the events', () => {
  it('lead to one store, each with its own scopes', async () => {
    const [calendarReader, deadlineReader, deadlineWriter, calendarWriter] = await Promise.all([
      firm.withScopes('calendar:read'),
      firm.withScopes('deadlines:read'),
      firm.withScopes('deadlines:write'),
      firm.withScopes('calendar:write'),
    ])
    const body = { title: 'Tür', start: at('2026-06-16', '09:00'), end: at('2026-06-16', '10:00') }

    const made = await deadlineWriter('POST', '/api/v1/events', { body })
    const changed = await calendarWriter('PATCH', `/api/v1/events/${made.body.id}`, {
      body: { title: 'Tor' },
    })
    const seen = await deadlineReader('GET', '/api/v1/events?from=2026-06-16&to=2026-06-16')
    const alsoSeen = await calendarReader('GET', `${events}?from=2026-06-16&to=2026-06-16`)

    expect([made.status, changed.status]).toEqual([201, 200])
    expect(titles(seen)).toEqual(['Tor'])
    expect(alsoSeen.body).toEqual(seen.body)
    expect((await deadlineWriter('POST', events, { body })).status).toBe(403)
    expect((await deadlineReader('GET', events)).status).toBe(403)
    expect((await calendarReader('POST', events, { body })).status).toBe(403)
    expect((await calendarReader('DELETE', `/api/v1/events/${made.body.id}`)).status).toBe(403)
  })
})

describe('collisions', () => {
  it('are refused if they share an attendee; events that only touch are not', async () => {
    const { owner, ownerUser, ...rest } = await newFirm()
    const { user } = await rest.colleague()
    const body = (start: string, end: string, attendees?: string[]) => ({
      body: { title: 'Termin', start: at('2026-05-06', start), end: at('2026-05-06', end), attendees },
    })
    await owner('POST', events, body('10:00', '11:00', [ownerUser.id, user.id]))

    const answers = await Promise.all(
      [
        body('10:59', '12:00', [user.id]),
        body('09:00', '10:01'),
        body('10:15', '10:45', [ownerUser.id]),
        body('08:00', '18:00', [user.id, ownerUser.id]),
      ].map((send) => owner('POST', events, send)),
    )
    const touching = [
      await owner('POST', events, body('09:00', '10:00')),
      await owner('POST', events, body('11:00', '12:00', [user.id])),
    ]

    expect(answers.map((answer) => [answer.status, answer.body.error.code])).toEqual(
      Array(4).fill([409, 'SLOT_CONFLICT']),
    )
    expect(touching.map(({ status }) => status)).toEqual([201, 201])
  })

  it('name the event and the attendee only to callers who may read events', async () => {
    const { owner, ownerUser, withScopes } = await newFirm()
    const blind = await withScopes('calendar:write')
    const times = { start: at('2026-05-06', '10:00'), end: at('2026-05-06', '11:00') }
    const body = { title: 'Vertraulich', ...times, attendees: [ownerUser.id] }
    const { id } = (await owner('POST', events, { body })).body
    const other = { title: 'Zwei', ...times, attendees: [ownerUser.id] }

    const shown = await owner('POST', events, { body: other })
    const hidden = await blind('POST', events, { body: other })

    expect(shown.body.error.details).toEqual([
      {
        path: 'body.attendees',
        message: `${ownerUser.id} has ${id} from ${times.start} to ${times.end}.`,
        user_id: ownerUser.id,
        event_id: id,
        start: times.start,
        end: times.end,
      },
    ])
    expect([hidden.status, hidden.body.error.code, hidden.body.error.details]).toEqual([
      409,
      'SLOT_CONFLICT',
      undefined,
    ])
    expect(JSON.stringify([shown.body, hidden.body])).not.toContain('Vertraulich')
  })

  it('are no reason to refuse an event of an unknown case: that is refused first (G3)', async () => {
    const { owner } = await newFirm()
    const times = { start: at('2026-05-06', '10:00'), end: at('2026-05-06', '11:00') }
    await owner('POST', events, { body: { title: 'Eins', ...times } })
    const later = { start: at('2026-05-06', '11:00'), end: at('2026-05-06', '12:00') }
    const { id } = (await owner('POST', events, { body: { title: 'Zwei', ...later } })).body

    const answers = [
      await owner('POST', events, { body: { title: 'Drei', ...times, case_id: 'unknown' } }),
      await owner('PATCH', `${events}/${id}`, { body: { ...times, case_id: 'unknown' } }),
      await owner('POST', events, { body: { title: 'Drei', ...times, case_id: await openCase(owner) } }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'CASE_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
      [409, 'SLOT_CONFLICT'],
    ])
  })

  it('are allowed on request, and all-day events do not make anybody busy', async () => {
    const { owner } = await newFirm()
    const times = { start: at('2026-05-06', '10:00'), end: at('2026-05-06', '11:00') }
    const allDay = { title: 'Urlaub', all_day: true, start: '2026-05-06', end: '2026-05-06' }
    const first = await owner('POST', events, { body: { title: 'Eins', ...times } })

    const second = await owner('POST', events, { body: { title: 'Zwei', ...times, allow_conflict: true } })
    const third = await owner('POST', events, { body: { title: 'Drei', ...times } })
    const days = [
      await owner('POST', events, { body: allDay }),
      await owner('POST', events, { body: allDay }),
    ]
    const renamed = await owner('PATCH', `${events}/${second.body.id}`, { body: { title: 'Zwei b' } })
    const timed = await owner('PATCH', `${events}/${days[0]?.body.id}`, {
      body: { all_day: false, ...times },
    })

    expect([first, second, third, ...days, renamed, timed].map(({ status }) => status)).toEqual([
      201, 201, 409, 201, 201, 200, 409,
    ])
  })

  it('are checked at every change of time or attendees, and an event that moves away frees its time', async () => {
    const { owner, ownerUser, ...rest } = await newFirm()
    const { user } = await rest.colleague()
    const times = (start: string, end: string) => ({
      start: at('2026-05-07', start),
      end: at('2026-05-07', end),
    })
    const make = async (body: unknown) => (await owner('POST', events, { body })).body.id
    const one = await make({ title: 'Eins', ...times('09:00', '10:00'), attendees: [ownerUser.id] })
    const two = await make({ title: 'Zwei', ...times('09:00', '10:00'), attendees: [user.id] })
    const change = async (id: string, body: unknown) =>
      (await owner('PATCH', `${events}/${id}`, { body })).status

    expect(await change(two, { attendees: [user.id, ownerUser.id] })).toBe(409)
    expect(await change(one, times('09:30', '10:30'))).toBe(200)
    expect(await change(two, { attendees: [] })).toBe(409)
    expect(await change(two, { attendees: [], allow_conflict: true })).toBe(200)
    expect(await change(one, times('10:00', '11:00'))).toBe(200)
    expect(await change(two, times('09:00', '10:30'))).toBe(409)
    expect((await owner('DELETE', `${events}/${one}`)).status).toBe(204)
    expect(await change(two, times('09:00', '10:30'))).toBe(200)
  })

  it('of events over several days and nights are seen too', async () => {
    const { owner } = await newFirm()
    const make = async (start: string, end: string) =>
      (await owner('POST', events, { body: { title: 'Termin', start, end } })).status

    expect(await make(at('2026-05-01', '12:00'), at('2026-06-20', '12:00'))).toBe(201)
    expect(await make(at('2026-05-20', '03:00'), at('2026-05-20', '06:00'))).toBe(409)
    expect(await make(at('2026-06-20', '11:59'), at('2026-06-21', '12:00'))).toBe(409)
    expect(await make(at('2026-06-20', '12:00'), at('2026-06-21', '12:00'))).toBe(201)
    expect(await make(at('2026-04-20', '12:00'), at('2026-05-01', '12:00'))).toBe(201)
  })

  it('forty at the same moment: exactly one is entered', async () => {
    const { owner, ownerUser, ...rest } = await newFirm()
    const { user } = await rest.colleague()

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        owner('POST', n % 2 ? events : '/api/v1/events', {
          body: {
            title: `Termin ${n}`,
            start: at('2026-05-08', '10:00'),
            end: at('2026-05-08', `11:${String(n % 40).padStart(2, '0')}`),
            attendees: n % 3 ? [ownerUser.id, user.id] : [ownerUser.id],
          },
        }),
      ),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(39).fill(409)])
    expect((await owner('GET', events)).body.data).toHaveLength(1)
  })

  it('none among forty that follow one another: all are entered at once', async () => {
    const { owner } = await newFirm()

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        owner('POST', events, {
          body: {
            title: `Termin ${n}`,
            start: new Date(Date.UTC(2026, 4, 8, 6, n * 10)).toISOString(),
            end: new Date(Date.UTC(2026, 4, 8, 6, n * 10 + 10)).toISOString(),
          },
        }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201))
  })

  it('two events moved onto one time at once: exactly one gets there', async () => {
    const { owner } = await newFirm()
    const ids = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const day = `2026-05-${n + 10}`
        const body = { title: 'Termin', start: at(day, '10:00'), end: at(day, '11:00') }
        return (await owner('POST', events, { body })).body.id
      }),
    )

    const answers = await Promise.all(
      ids.map((id) =>
        owner('PATCH', `${events}/${id}`, {
          body: { start: at('2026-05-04', '10:00'), end: at('2026-05-04', '11:00') },
        }),
      ),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
  })
})

describe('the list of events', () => {
  let listing: Firm
  let other: { id: string }
  let case_id: string
  beforeAll(async () => {
    listing = await newFirm()
    other = (await listing.colleague()).user
    case_id = await openCase(listing.owner)
    const make = (title: string, start: string, end: string, rest = {}) =>
      listing.owner('POST', events, { body: { title, start, end, allow_conflict: true, ...rest } })
    const days = (title: string, start: string, end: string, rest = {}) =>
      make(title, start, end, { all_day: true, ...rest })
    await make('früher', at('2026-07-12', '10:00'), at('2026-07-12', '11:00'))
    await make('über Nacht', at('2026-07-12', '22:00'), at('2026-07-13', '01:00'), { type: 'meeting' })
    await make('bis Mitternacht', at('2026-07-12', '22:00'), at('2026-07-13', '00:00'))
    await make('lang', at('2026-06-01', '10:00'), at('2026-07-13', '10:00'), {
      attendees: [other.id],
      case_id,
    })
    await days('Urlaub', '2026-05-20', '2026-08-20', { attendees: [other.id, listing.ownerUser.id] })
    await days('Tag', '2026-07-13', '2026-07-13', { case_id })
    await make('am Morgen', at('2026-07-13', '09:00'), at('2026-07-13', '10:00'), {
      case_id,
      type: 'meeting',
    })
    await make('ab Mitternacht', at('2026-07-14', '00:00'), at('2026-07-14', '01:00'), {
      attendees: [other.id],
    })
  })
  const list = async (query: string) => titles(await listing.owner('GET', `${events}?${query}`))

  it('contains the events that overlap the days, by start', async () => {
    expect(await list('from=2026-07-13&to=2026-07-13')).toEqual([
      'Urlaub',
      'lang',
      'über Nacht',
      'Tag',
      'am Morgen',
    ])
    expect(await list('from=2026-07-14&to=2026-07-14')).toEqual(['Urlaub', 'ab Mitternacht'])
    expect(await list('from=2026-07-12&to=2026-07-12')).toEqual([
      'Urlaub',
      'lang',
      'früher',
      'über Nacht',
      'bis Mitternacht',
    ])
  })

  it('takes moments, and either end may be left out', async () => {
    const moment = (time: string) => encodeURIComponent(at('2026-07-13', time))
    expect(await list(`from=${moment('09:30')}&to=${moment('12:00')}`)).toEqual([
      'Urlaub',
      'lang',
      'Tag',
      'am Morgen',
    ])
    expect(await list(`from=${moment('10:00')}`)).toEqual(['Urlaub', 'Tag', 'ab Mitternacht'])
    expect(await list('to=2026-06-30')).toEqual(['Urlaub', 'lang'])
    expect(await list('')).toHaveLength(8)
    expect(await list('from=1926-01-01&to=2126-01-01')).toHaveLength(8)
  })

  it('is narrowed by type, case and attendee, alone and together', async () => {
    const day = 'from=2026-07-13&to=2026-07-13'
    expect(await list(`${day}&type=meeting`)).toEqual(['über Nacht', 'am Morgen'])
    expect(await list(`${day}&case_id=${case_id}`)).toEqual(['lang', 'Tag', 'am Morgen'])
    expect(await list(`${day}&attendee=${other.id}`)).toEqual(['Urlaub', 'lang'])
    expect(await list(`${day}&attendee=${listing.ownerUser.id}`)).toEqual([
      'Urlaub',
      'über Nacht',
      'Tag',
      'am Morgen',
    ])
    expect(await list(`${day}&attendee=${listing.ownerUser.id}&type=meeting`)).toEqual([
      'über Nacht',
      'am Morgen',
    ])
    expect(await list(`${day}&attendee=${other.id}&case_id=${case_id}`)).toEqual(['lang'])
    expect(await list(`${day}&type=deadline`)).toEqual([])
    expect(await list(`attendee=${other.id}`)).toEqual(['Urlaub', 'lang', 'ab Mitternacht'])
  })

  it.each([
    '',
    'from=2026-07-13',
    'from=2026-07-13&to=2026-07-13',
  ])('is walked page by page (%s): each event once', async (range) => {
    for (const filter of ['', `attendee=${listing.ownerUser.id}`, `case_id=${case_id}`, 'type=event']) {
      const whole = await list(`${range}&${filter}`)
      const walked: string[] = []
      for (let cursor = ''; ; ) {
        const page = await listing.owner('GET', `${events}?${range}&${filter}&limit=1${cursor}`)
        walked.push(...titles(page))
        if (!page.body.pagination.has_more) break
        cursor = `&cursor=${page.body.pagination.cursor}`
      }
      expect(walked, filter).toEqual(whole)
    }
  })

  it('refuses a range in reverse and a cursor of another list', async () => {
    const first = await listing.owner('GET', `${events}?limit=1`)
    const codes = async (query: string) => (await listing.owner('GET', `${events}?${query}`)).body.error.code

    expect(await codes('from=2026-07-14&to=2026-07-13')).toBe('INVALID_DATE_RANGE')
    expect(await codes('from=2026-07-14T10:00:00Z&to=2026-07-14T10:00:00Z')).toBe('INVALID_DATE_RANGE')
    expect(await codes('from=2026-02-31')).toBe('VALIDATION_ERROR')
    expect(await codes('from=2026-07-14T10:00:00')).toBe('VALIDATION_ERROR')
    expect(await codes('type=party')).toBe('VALIDATION_ERROR')
    expect(await codes('case_id=x')).toBe('VALIDATION_ERROR')
    expect(await codes(`type=event&cursor=${first.body.pagination.cursor}`)).toBe('VALIDATION_ERROR')
  })

  it('gives events with long descriptions whole', async () => {
    const { owner } = await newFirm()
    const description = 'ä'.repeat(20_000)
    await owner('POST', events, {
      body: { title: 'Lang', description, start: at('2026-05-04', '09:00'), end: at('2026-05-05', '10:00') },
    })

    const { body } = await owner('GET', `${events}?from=2026-05-05&to=2026-05-05`)

    expect(body.data[0].description).toBe(description)
  })
})
