import type { FeedItem } from '#calendar/feed-items.ts'
import { icalendar } from '#calendar/icalendar.ts'
import type { Measured } from './cost.ts'
import { measureTimes } from './list-times.ts'
import type { Part } from './report.ts'
import { ask, type Handler, type Request } from './requests.ts'
import type { Firm } from './seed.ts'

const entriesOfFeed = 2_000
const maxMillisecondsOfFeed = 150

const events = '/api/v1/calendar/events'
const dayMilliseconds = 86_400_000

/** The operations of the calendar, for `measureCost`. */
export const ofCalendar: Measured = {
  things: 'events',
  first: (firm) => monthOf(firm),
  operations: [
    { name: 'month', request: (firm) => monthOf(firm), isHeldToTarget: true },
    {
      name: 'month of a user',
      request: (firm) => monthOf(firm, { attendee: firm.userId }),
      isHeldToTarget: true,
    },
    {
      name: 'meetings of a month',
      request: (firm) => monthOf(firm, { type: 'meeting' }),
      isHeldToTarget: true,
    },
    {
      name: 'free/busy of a user over a week',
      request: (firm) => freeBusyOf(firm, firm.userIds.slice(0, 1)),
      isHeldToTarget: true,
    },
    {
      name: 'free/busy of 50 users over a week',
      request: (firm) => freeBusyOf(firm, firm.userIds),
      isHeldToTarget: true,
    },
    {
      name: 'open slots of 5 users',
      request: ({ key, userIds }) => ({
        method: 'POST',
        resource: '/api/v1/calendar/availability/open-slots',
        body: { user_ids: userIds.slice(0, 5), ...week() },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'get',
      request: ({ key, eventId }) => ({
        method: 'GET',
        resource: `${events}/{event_id}`,
        params: { event_id: eventId },
        key,
      }),
      isHeldToTarget: true,
    },
    { name: 'create', request: (firm) => creating(firm, 1), isHeldToTarget: true },
    { name: 'create with 10 attendees', request: (firm) => creating(firm, 10), isHeldToTarget: true },
    {
      name: 'move',
      request: ({ key, eventId }) => ({
        method: 'PATCH',
        resource: `${events}/{event_id}`,
        params: { event_id: eventId },
        body: freeHour(),
        key,
      }),
      isHeldToTarget: true,
    },
  ],
}

/** Measures the time of the lists in workspaces of these sizes, and of a feed with many entries. */
export async function measureCalendar(firms: Firm[], handler: Handler, repetitions: number): Promise<Part> {
  const { rows, targets } = await measureTimes(firms, handler, repetitions, 'events', [
    ['month', monthOf],
    ['month of a user', (firm) => monthOf(firm, { attendee: firm.userId })],
    ['free/busy of 50 users over a week', (firm) => freeBusyOf(firm, firm.userIds)],
  ])
  const largest = firms.at(-1)
  if (largest === undefined) throw new Error('A feed needs a firm.')
  const feeds = {
    'deadlines and events': await cpuOfFeed(largest.key, handler),
    'events alone': await cpuOfFeed(largest.colleagueKey, handler),
  }
  const rendering = cpuOfRendering()
  const sentence = (milliseconds: number) => `${milliseconds.toFixed(0)} ms of CPU`
  for (const [what, feed] of Object.entries(feeds)) {
    rows.push({ operation: `feed of ${feed.entries} ${what}`, growth: sentence(feed.milliseconds) })
    targets.push({
      name: `CPU of a feed of ${what}, per ${entriesOfFeed} entries`,
      measured: (feed.milliseconds / feed.entries) * entriesOfFeed,
      unit: 'ms',
      max: maxMillisecondsOfFeed,
    })
  }
  rows.push({ operation: `feed of ${entriesOfFeed} entries, its text alone`, growth: sentence(rendering) })
  return {
    title: 'Calendar: time of lists by number of events in the workspace',
    method:
      'Median of requests in turns, in this process, with the table in another; pages of 50. A feed: the least CPU of five.',
    rows,
    targets,
  }
}

/** The CPU time of this process for the feed of a key's user, without the CPU time of the table. */
async function cpuOfFeed(key: string, handler: Handler): Promise<{ entries: number; milliseconds: number }> {
  const made = await ask(handler, {
    method: 'POST',
    resource: '/api/v1/calendar/ical-tokens',
    key,
  })
  const token = new URL(JSON.parse(made.body).url).searchParams.get('token') ?? ''
  const request = { method: 'GET', resource: '/api/v1/calendar/feed.ics', query: { token } }
  const costs: number[] = []
  let entries = 0
  for (let repetition = 0; repetition < 5; repetition += 1) {
    const before = process.cpuUsage()
    const { body } = await ask(handler, request)
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1_000)
    entries = body.split('BEGIN:VEVENT').length - 1
  }
  return { entries, milliseconds: Math.min(...costs) }
}

function cpuOfRendering(): number {
  const items = Array.from({ length: entriesOfFeed }, (_, at): FeedItem => {
    const start = new Date(Date.UTC(2026, 0, 1) + at * 3_600_000)
    return {
      kind: 'event',
      record: {
        workspace_id: 'ws',
        id: `evt_${at}`,
        title: `Besprechung Nr. ${at}`,
        type: 'meeting',
        starts_at: start.toISOString(),
        ends_at: new Date(start.getTime() + 1_800_000).toISOString(),
        all_day: false,
        first_day: null,
        last_day: null,
        case_id: null,
        location: 'Besprechungsraum 2',
        description: 'Mit der Mandantin und ihrem Steuerberater, wegen der Nachforderung.',
        attendees: [],
        created_by: 'usr',
        created_at: start.toISOString(),
        updated_at: start.toISOString(),
        deleted_at: null,
        version: 1,
      },
    }
  })
  const before = process.cpuUsage()
  icalendar(items, { name: 'Bench' })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** A month that begins in the middle of the first hundred events. */
function monthOf({ key }: Firm, query: Record<string, string> = {}): Request {
  const from = new Date(Date.now() + 9 * dayMilliseconds)
  const to = new Date(from.getTime() + 30 * dayMilliseconds)
  const date = (at: Date) => at.toISOString().slice(0, 10)
  return { method: 'GET', resource: events, query: { from: date(from), to: date(to), ...query }, key }
}

function week(): { from: string; to: string } {
  const from = Date.now() + 9 * dayMilliseconds
  return { from: new Date(from).toISOString(), to: new Date(from + 7 * dayMilliseconds).toISOString() }
}

function freeBusyOf({ key }: Firm, user_ids: string[]): Request {
  const resource = '/api/v1/calendar/availability/freebusy'
  return { method: 'POST', resource, body: { user_ids, ...week() }, key }
}

function creating({ key, userIds }: Firm, attendees: number): Request {
  const body = { title: 'Besprechung', ...freeHour(), attendees: userIds.slice(0, attendees) }
  return { method: 'POST', resource: events, body, key }
}

let daysTaken = 0

/** An hour without events, another one at every call: operations are measured more than once. */
function freeHour(): { start: string; end: string } {
  daysTaken += 1
  const start = Date.UTC(2040, 0, daysTaken, 10)
  return { start: new Date(start).toISOString(), end: new Date(start + 3_600_000).toISOString() }
}
