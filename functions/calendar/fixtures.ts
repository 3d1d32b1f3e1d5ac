import { epochMilliseconds } from '#kernel/clock.ts'
import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const anEvent: Fixture = async ({ makeEvent }) => {
  const id = await makeEvent()
  return { params: { id, event_id: id } }
}

const askForUsers: Fixture = ({ firm: { ownerUser } }) => ({ body: { user_ids: [ownerUser.id] } })

const tokens = '/api/v1/calendar/ical-tokens'

export const fixtures: Fixtures<typeof endpoints> = {
  createCalendarEvent: async ({ makeCase, firm: { ownerUser } }) => ({
    body: { case_id: await makeCase(), attendees: [ownerUser.id], allow_conflict: true },
  }),
  createEvent: async ({ makeCase, firm: { ownerUser } }) => ({
    body: { case_id: await makeCase(), attendees: [ownerUser.id], allow_conflict: true },
  }),
  getCalendarEvent: anEvent,
  updateCalendarEvent: anEvent,
  deleteCalendarEvent: anEvent,
  getEvent: anEvent,
  updateEvent: anEvent,
  deleteEvent: anEvent,
  findFreeBusy: askForUsers,
  findOpenSlots: askForUsers,
  revokeIcalToken: async ({ firm: { owner } }) => ({
    params: { id: (await owner('POST', tokens)).body.id },
  }),
  getCalendarFeed: async ({ firm: { owner } }) => {
    const title = `Verhandlung ${Math.random()}`
    const start = new Date(epochMilliseconds() + 86_400_000).toISOString()
    const body = { title, start, end: start, allow_conflict: true }
    await owner('POST', '/api/v1/events', { body: { ...body, end: start.replace(/T.*/, 'T23:59:59.999Z') } })
    const { url } = (await owner('POST', tokens)).body
    return { credential: new URL(url).searchParams.get('token') ?? '', shows: title }
  },
}
