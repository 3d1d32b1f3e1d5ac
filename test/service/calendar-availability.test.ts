import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let colleague: { id: string }
beforeAll(async () => {
  firm = await newFirm()
  colleague = (await firm.colleague()).user
  const enter = async (title: string, start: string, end: string, rest = {}) => {
    const { status } = await firm.owner('POST', '/api/v1/calendar/events', {
      body: { title, start, end, allow_conflict: true, ...rest },
    })
    expect(status).toBe(201)
  }
  const both = { attendees: [firm.ownerUser.id, colleague.id] }
  await enter('eins', '2026-04-13T09:00:00+02:00', '2026-04-13T10:00:00+02:00')
  await enter('berührt', '2026-04-13T10:00:00+02:00', '2026-04-13T11:00:00+02:00')
  await enter('überlappt', '2026-04-13T10:30:00+02:00', '2026-04-13T12:00:00+02:00')
  await enter('gemeinsam', '2026-04-14T13:00:00+02:00', '2026-04-14T14:00:00+02:00', both)
  await enter('über Nacht', '2026-04-14T22:00:00+02:00', '2026-04-15T04:00:00+02:00', both)
  await enter('Urlaub', '2026-04-13', '2026-04-17', { all_day: true })
})

const freeBusy = (body: Record<string, unknown>) =>
  firm.owner('POST', '/api/v1/calendar/availability/freebusy', {
    body: {
      user_ids: [firm.ownerUser.id],
      from: '2026-04-13T00:00:00+02:00',
      to: '2026-04-18T00:00:00+02:00',
      ...body,
    },
  })
const openSlots = (body: Record<string, unknown>) =>
  firm.owner('POST', '/api/v1/calendar/availability/open-slots', {
    body: { user_ids: [firm.ownerUser.id], from: '2026-04-13', to: '2026-04-17', ...body },
  })
const starts = (answer: { body: { slots: { start: string }[] } }) =>
  answer.body.slots.map(({ start }) => start)

describe('free/busy', () => {
  it('joins intervals that overlap or touch, in the order of the request, each user once; all-day events do not count', async () => {
    const { status, body } = await freeBusy({
      user_ids: [colleague.id, firm.ownerUser.id.slice(4), colleague.id],
    })

    expect(status).toBe(200)
    expect(body.busy).toEqual([
      { user_id: colleague.id, start: '2026-04-14T13:00:00+02:00', end: '2026-04-14T14:00:00+02:00' },
      { user_id: colleague.id, start: '2026-04-14T22:00:00+02:00', end: '2026-04-15T04:00:00+02:00' },
      { user_id: firm.ownerUser.id, start: '2026-04-13T09:00:00+02:00', end: '2026-04-13T12:00:00+02:00' },
      { user_id: firm.ownerUser.id, start: '2026-04-14T13:00:00+02:00', end: '2026-04-14T14:00:00+02:00' },
      { user_id: firm.ownerUser.id, start: '2026-04-14T22:00:00+02:00', end: '2026-04-15T04:00:00+02:00' },
    ])
  })

  it('is clipped to the range, half-open', async () => {
    const { body } = await freeBusy({ from: '2026-04-13T10:15:00+02:00', to: '2026-04-14T13:00:00+02:00' })
    const night = await freeBusy({ from: '2026-04-15T01:00:00Z', to: '2026-04-15T01:30:00Z' })
    const after = await freeBusy({ from: '2026-04-15T04:00:00+02:00', to: '2026-04-15T05:00:00+02:00' })

    expect(body.busy).toEqual([
      { user_id: firm.ownerUser.id, start: '2026-04-13T10:15:00+02:00', end: '2026-04-13T12:00:00+02:00' },
    ])
    expect(night.body.busy).toEqual([
      { user_id: firm.ownerUser.id, start: '2026-04-15T03:00:00+02:00', end: '2026-04-15T03:30:00+02:00' },
    ])
    expect(after.body.busy).toEqual([])
  })

  it.each([
    ['nobody', { user_ids: [] }, 400, 'VALIDATION_ERROR'],
    ['51 users', { user_ids: Array(51).fill('usr_x') }, 400, 'VALIDATION_ERROR'],
    ['an unknown user', { user_ids: ['usr_x'] }, 404, 'USER_NOT_FOUND'],
    ['a range in reverse', { to: '2026-04-12T00:00:00Z' }, 400, 'INVALID_DATE_RANGE'],
    ['an empty range', { to: '2026-04-13T00:00:00+02:00' }, 400, 'INVALID_DATE_RANGE'],
    ['a range of a century', { to: '2126-04-13T00:00:00Z' }, 400, 'VALIDATION_ERROR'],
    ['93 days', { from: '2026-04-01', to: '2026-07-02' }, 400, 'VALIDATION_ERROR'],
    ['times without a zone', { from: '2026-04-13T00:00:00' }, 400, 'VALIDATION_ERROR'],
    ['no range', { from: undefined }, 400, 'VALIDATION_ERROR'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await freeBusy(body)

    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  it('accepts 92 days, also if summer time ends in between', async () => {
    expect((await freeBusy({ from: '2026-04-01', to: '2026-07-01' })).status).toBe(200)
    expect(
      (await freeBusy({ from: '2026-09-01T08:00:00+02:00', to: '2026-12-02T08:00:00+01:00' })).status,
    ).toBe(200)
    expect(
      (await freeBusy({ from: '2026-09-01T08:00:00+02:00', to: '2026-12-02T08:00:01+01:00' })).status,
    ).toBe(400)
  })

  it('does not know users of another workspace', async () => {
    const stranger = await newFirm()

    expect((await freeBusy({ user_ids: [stranger.ownerUser.id] })).body.error.code).toBe('USER_NOT_FOUND')
  })
})

describe('open slots', () => {
  it('are the times when all users are free, inside the working hours', async () => {
    const answer = await openSlots({
      user_ids: [firm.ownerUser.id, colleague.id],
      to: '2026-04-14',
      duration_minutes: 90,
      step_minutes: 60,
    })

    expect(answer.status).toBe(200)
    expect(starts(answer)).toEqual([
      '2026-04-13T12:00:00+02:00',
      '2026-04-13T13:00:00+02:00',
      '2026-04-13T14:00:00+02:00',
      '2026-04-13T15:00:00+02:00',
      '2026-04-14T09:00:00+02:00',
      '2026-04-14T10:00:00+02:00',
      '2026-04-14T11:00:00+02:00',
      '2026-04-14T14:00:00+02:00',
      '2026-04-14T15:00:00+02:00',
    ])
    expect(answer.body.slots[0].end).toBe('2026-04-13T13:30:00+02:00')
  })

  it('are fifty by default, of half an hour each, beginning every 15 minutes from nine to five', async () => {
    const answer = await openSlots({ from: '2026-04-16', to: '2026-05-16' })

    expect(answer.body.slots).toHaveLength(50)
    expect(starts(answer).slice(0, 2)).toEqual(['2026-04-16T09:00:00+02:00', '2026-04-16T09:15:00+02:00'])
    expect(starts(answer)[30]).toBe('2026-04-16T16:30:00+02:00')
    expect(starts(answer)[31]).toBe('2026-04-17T09:00:00+02:00')
  })

  it('are not on weekends and holidays of the region, and keep the local time when summer time ends', async () => {
    const answer = await openSlots({
      from: '2026-10-22',
      to: '2026-10-28',
      duration_minutes: 480,
      step_minutes: 30,
    })
    const easter = await openSlots({ from: '2026-04-02', to: '2026-04-07', duration_minutes: 480 })

    expect(starts(answer)).toEqual([
      '2026-10-22T09:00:00+02:00',
      '2026-10-23T09:00:00+02:00',
      '2026-10-26T09:00:00+01:00',
      '2026-10-27T09:00:00+01:00',
      '2026-10-28T09:00:00+01:00',
    ])
    expect(starts(easter)).toEqual(['2026-04-02T09:00:00+02:00', '2026-04-07T09:00:00+02:00'])
  })

  it('lie wholly inside the range, on multiples of the step from local midnight', async () => {
    const answer = await openSlots({
      from: '2026-04-16T09:05:00+02:00',
      to: '2026-04-16T10:00:00+02:00',
      step_minutes: 7,
      duration_minutes: 30,
    })

    expect(starts(answer)).toEqual([
      '2026-04-16T09:06:00+02:00',
      '2026-04-16T09:13:00+02:00',
      '2026-04-16T09:20:00+02:00',
      '2026-04-16T09:27:00+02:00',
    ])
  })

  it.each([
    ['four minutes', { duration_minutes: 4 }],
    ['481 minutes', { duration_minutes: 481 }],
    ['no steps', { step_minutes: 0 }],
    ['steps backwards', { step_minutes: -15 }],
    ['half a minute', { step_minutes: 0.5 }],
    ['no slots', { limit: 0 }],
    ['hours in reverse', { working_hours: { start: '17:00', end: '09:00' } }],
    ['no hours', { working_hours: { start: '09:00', end: '09:00' } }],
    ['25 hours', { working_hours: { start: '09:00', end: '25:00' } }],
    ['93 days', { to: '2026-07-14' }],
  ])('are refused for %s', async (_, body) => {
    const answer = await openSlots(body)

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('may be empty: working hours shorter than the slot', async () => {
    expect((await openSlots({ working_hours: { end: '09:20' } })).body).toEqual({ slots: [] })
  })
})
