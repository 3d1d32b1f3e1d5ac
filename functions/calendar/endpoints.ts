import * as z from 'zod'
import type { AvailabilityService } from '#calendar/availability.ts'
import type { CalendarService } from '#calendar/events.ts'
import type { FeedService } from '#calendar/feed.ts'
import {
  CalendarEvent,
  CalendarEventChanges,
  CalendarEventInput,
  CalendarEventQuery,
  eventReaders,
  FreeBusy,
  FreeBusyInput,
  IcalToken,
  ListedIcalToken,
  OpenSlots,
  OpenSlotsInput,
  RevokedIcalToken,
} from '#calendar/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'

type Services = { calendar: CalendarService; availability: AvailabilityService; feeds: FeedService }

const endpoint = endpointsOf<Services>()

const id = idOf('event')
const write = ['calendar:write', 'deadlines:write'] as const
const user = 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94'
const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const example = {
  id: 'evt_01993f62-4a10-7b3c-8d5e-1f2a3b4c5d6e',
  title: 'Gütetermin Meier ./. Schulze',
  type: 'event' as const,
  start: '2026-04-16T09:00:00+02:00',
  end: '2026-04-16T10:30:00+02:00',
  all_day: false,
  case_id: caseId,
  location: 'Amtsgericht Mitte, Saal 1807',
  description: null,
  attendees: [user],
  created_by: user,
  created_at: '2026-03-16T08:30:00.000Z',
  updated_at: '2026-03-16T08:30:00.000Z',
}
const { title, start, end, location, attendees } = example
const created = { ...example, start: '2026-05-07T09:00:00+02:00', end: '2026-05-07T10:30:00+02:00' }

/** The common part of the two paths to the events (K1). */
const list = {
  summary: 'List events and deadlines by start',
  description:
    'Lists every event and deadline that overlaps the range. `from` and `to` are both inclusive and optional. A date means the whole day in the time zone of the workspace. A deadline starts and ends at its due time.',
  query: CalendarEventQuery,
  output: pageOrChangesOf(CalendarEvent),
  errors: { 400: ['INVALID_DATE_RANGE'] as const },
  example: {
    query: { from: '2026-04-01', to: '2026-04-30', type: 'event' as const },
    answer: { data: [example], pagination: onePage },
  },
}

const create = {
  summary: 'Create an event',
  description: `An event must not overlap another timed event of one of its attendees, unless \`allow_conflict\` is true. Events that only touch do not overlap, and all-day events and deadlines block nobody. An event without attendees belongs to the caller. A deactivated user cannot be invited.

An all-day event lasts at most 366 days. For a timed event, the number of attendees times the number of days is at most 70: one person for 70 days, or 50 people for one day.`,
  body: CalendarEventInput,
  status: 201,
  output: CalendarEvent,
  etag: CalendarEvent,
  errors: {
    400: ['INVALID_DATE_RANGE'],
    404: ['CASE_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['SLOT_CONFLICT'],
  },
  example: {
    body: { title, start: created.start, end: created.end, case_id: caseId, location, attendees },
    answer: created,
  },
} as const

const get = {
  summary: 'Get an event or a deadline',
  output: CalendarEvent,
  etag: CalendarEvent,
  errors: { 404: ['EVENT_NOT_FOUND'] },
} as const

const update = {
  summary: 'Change an event',
  description: 'Changes only the fields in the body; `null` clears an optional field.',
  body: CalendarEventChanges,
  output: CalendarEvent,
  etag: CalendarEvent,
  errors: {
    400: ['INVALID_DATE_RANGE'],
    404: ['EVENT_NOT_FOUND', 'CASE_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['SLOT_CONFLICT', 'IS_DEADLINE'],
  },
} as const

const remove = {
  summary: 'Delete an event',
  output: z.void(),
  etag: CalendarEvent,
  errors: { 404: ['EVENT_NOT_FOUND'], 409: ['IS_DEADLINE'] },
} as const

const consultation = {
  title: 'Mandantengespräch Meier',
  type: 'meeting' as const,
  start: '2026-04-15T14:00:00+02:00',
  end: '2026-04-15T15:00:00+02:00',
  case_id: caseId,
  attendees: [user],
}

const change = { location: 'Amtsgericht Mitte, Saal 1810' }

export const listCalendarEvents = endpoint({
  ...list,
  method: 'GET',
  path: '/api/v1/calendar/events',
  access: 'calendar:read',
  handle: ({ calendar }, { actor, query }) => calendar.list(actor, query),
})

export const createCalendarEvent = endpoint({
  ...create,
  method: 'POST',
  path: '/api/v1/calendar/events',
  access: 'calendar:write',
  handle: ({ calendar }, { actor, body }) => calendar.create(actor, body),
})

export const getCalendarEvent = endpoint({
  ...get,
  method: 'GET',
  path: '/api/v1/calendar/events/{event_id}',
  access: 'calendar:read',
  params: { event_id: id },
  example: { params: { event_id: example.id }, answer: example },
  handle: ({ calendar }, { actor, params }) => calendar.get(actor, params.event_id),
})

export const updateCalendarEvent = endpoint({
  ...update,
  method: 'PATCH',
  path: '/api/v1/calendar/events/{event_id}',
  access: 'calendar:write',
  params: { event_id: id },
  example: { params: { event_id: example.id }, body: change, answer: { ...example, ...change } },
  handle: ({ calendar }, { actor, params, body, precondition }) =>
    calendar.change(actor, params.event_id, body, precondition),
})

export const deleteCalendarEvent = endpoint({
  ...remove,
  method: 'DELETE',
  path: '/api/v1/calendar/events/{event_id}',
  access: 'calendar:write',
  params: { event_id: id },
  example: { params: { event_id: example.id } },
  handle: ({ calendar }, { actor, params, precondition }) =>
    calendar.remove(actor, params.event_id, precondition),
})

export const listEvents = endpoint({
  ...list,
  method: 'GET',
  path: '/api/v1/events',
  access: eventReaders,
  handle: ({ calendar }, { actor, query }) => calendar.list(actor, query),
})

export const createEvent = endpoint({
  ...create,
  method: 'POST',
  path: '/api/v1/events',
  access: write,
  example: { body: { ...consultation }, answer: { ...example, ...consultation, location: null } },
  handle: ({ calendar }, { actor, body }) => calendar.create(actor, body),
})

export const getEvent = endpoint({
  ...get,
  method: 'GET',
  path: '/api/v1/events/{id}',
  access: eventReaders,
  params: { id },
  example: { params: { id: example.id }, answer: example },
  handle: ({ calendar }, { actor, params }) => calendar.get(actor, params.id),
})

export const updateEvent = endpoint({
  ...update,
  method: 'PATCH',
  path: '/api/v1/events/{id}',
  access: write,
  params: { id },
  example: { params: { id: example.id }, body: change, answer: { ...example, ...change } },
  handle: ({ calendar }, { actor, params, body, precondition }) =>
    calendar.change(actor, params.id, body, precondition),
})

export const deleteEvent = endpoint({
  ...remove,
  method: 'DELETE',
  path: '/api/v1/events/{id}',
  access: write,
  params: { id },
  example: { params: { id: example.id } },
  handle: ({ calendar }, { actor, params, precondition }) => calendar.remove(actor, params.id, precondition),
})

const aWeek = { from: '2026-04-13T00:00:00+02:00', to: '2026-04-18T00:00:00+02:00' }

export const findFreeBusy = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/availability/freebusy',
  access: 'calendar:read',
  summary: 'Get the busy times of users',
  description:
    'Returns half-open intervals, cut to the range and merged per user. All-day events and deadlines do not count.',
  body: FreeBusyInput,
  output: FreeBusy,
  storedAlone: 'It changes nothing.',
  errors: { 400: ['INVALID_DATE_RANGE'], 404: ['USER_NOT_FOUND'] },
  example: {
    body: { user_ids: [user], ...aWeek },
    answer: { busy: [{ user_id: user, start, end }] },
  },
  handle: ({ availability }, { actor, body }) => availability.freeBusy(actor, body),
})

export const findOpenSlots = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/availability/open-slots',
  access: 'calendar:read',
  summary: 'Find times when all users are free',
  description:
    'Finds times inside the working hours. There are none on Saturdays, Sundays and public holidays of the workspace’s region.',
  body: OpenSlotsInput,
  output: OpenSlots,
  storedAlone: 'It changes nothing.',
  errors: { 400: ['INVALID_DATE_RANGE'], 404: ['USER_NOT_FOUND'] },
  example: {
    body: { user_ids: [user], ...aWeek, duration_minutes: 60, limit: 1 },
    answer: { slots: [{ start: '2026-04-13T09:00:00+02:00', end: '2026-04-13T10:00:00+02:00' }] },
  },
  handle: ({ availability }, { actor, body }) => availability.openSlots(actor, body),
})

const token = {
  id: 'ical_tok_01993f63-1c2d-7e4f-8a5b-6c7d8e9f0a1b',
  url: 'https://api.aktenlage.example/api/v1/calendar/feed.ics?token=01993f63-1c2d-7e4f-8a5b-6c7d8e9f0a1b.put-the-secret-here',
  created_at: example.created_at,
}

export const createIcalToken = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/ical-tokens',
  access: { every: ['calendar:write', 'calendar:read'] },
  summary: 'Create a subscription address for the caller’s calendar',
  description:
    'The address contains a secret token and is shown only in this answer. Anyone who has the address can read the calendar, as long as the user is active and holds a valid key with `calendar:read`.',
  status: 201,
  output: IcalToken,
  secrets: ['url'],
  example: { answer: token },
  handle: ({ feeds }, { actor, baseUrl }) => feeds.createToken(actor, baseUrl),
})

export const listIcalTokens = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/ical-tokens',
  access: 'calendar:read',
  summary: 'List the caller’s subscriptions, newest first',
  description:
    'Lists the subscriptions that are not revoked. The answer does not contain their addresses: an address is shown only when it is created.',
  ...pagesOf(ListedIcalToken),
  example: {
    answer: {
      data: [{ id: token.id, created_at: token.created_at, last_used_at: '2026-03-17T06:00:00.000Z' }],
      pagination: onePage,
    },
  },
  handle: ({ feeds }, { actor, query }) => feeds.listTokens(actor, query),
})

export const revokeIcalToken = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/ical-tokens/{id}/revoke',
  access: 'calendar:write',
  summary: 'Revoke a subscription',
  params: { id: idOf('icalToken') },
  output: RevokedIcalToken,
  errors: { 404: ['ICAL_TOKEN_NOT_FOUND'] },
  example: { params: { id: token.id }, answer: { id: token.id, revoked_at: example.updated_at } },
  handle: ({ feeds }, { actor, params }) => feeds.revokeToken(actor, params.id),
})

const Feed = z.string().meta({ description: 'A calendar in the iCalendar format (RFC 5545).' })

export const getCalendarFeed = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/feed.ics',
  access: {
    in: 'query',
    name: 'token',
    description: 'the token that is part of the subscription address.',
    example: '01993f63-1c2d-7e4f-8a5b-6c7d8e9f0a1b.put-the-secret-here',
    verify: ({ feeds }, token) => feeds.admitSubscriber(token),
  },
  summary: 'Get the calendar of a subscription address',
  description:
    'For calendar programs: the events and deadlines of the user who created the address, from 90 days ago to two years ahead. A deadline names its case and says whether it is verified. A deadline that is due at the end of a day is an all-day entry. With `If-None-Match` the answer is 304 as long as nothing has changed.',
  output: Feed,
  produces: 'text/calendar',
  headers: { 'Cache-Control': 'private, no-cache' },
  etag: Feed,
  errors: { 401: ['ICAL_TOKEN_INVALID'] },
  handle: ({ feeds }, { actor }) => feeds.feed(actor),
})
