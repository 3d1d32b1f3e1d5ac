import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'
import fc from '#test/support/properties.ts'

type Listed = {
  id: string
  type: string
  start: string
  end: string
  all_day: boolean
  case_id: string | null
  attendees: string[]
  created_by: string
}

/** A year around both changes of summer time, in which everything begins. */
const first = Date.UTC(2026, 0, 1)
const days = 366
const hour = 3_600_000

let firm: Firm
let users: string[]
let cases: string[]
let everything: Listed[]
beforeAll(async () => {
  firm = await newFirm()
  const colleague = (await firm.colleague()).user.id
  users = [firm.ownerUser.id, colleague]
  cases = await Promise.all(
    [1, 2].map(async () => (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id),
  )
  const drafts = fc.sample(draft, { numRuns: 90, seed: 4 })
  for (const body of drafts) {
    const { status } = await firm.owner('POST', body.due_at ? '/api/v1/deadlines' : '/api/v1/events', {
      body: {
        ...body,
        case_id: cases[body.case] ?? (body.due_at ? cases[0] : null),
        attendees: body.attendees?.map((at) => users[at]),
      },
    })
    expect(status).toBe(201)
  }
  entered = drafts.length
})

let entered: number

it('a page of events fits into an answer, however long their descriptions are', async () => {
  const own = await newFirm()
  const description = '"'.repeat(20_000)
  const times = { start: '2026-04-13T09:00:00+02:00', end: '2026-04-13T10:00:00+02:00' }
  const entered: string[] = []
  // Each is 80 kB of the answer of a function, which has at most 6 MB.
  while (entered.length < 80)
    entered.push(
      (
        await own.owner('POST', '/api/v1/events', {
          body: { title: 'Termin', description, allow_conflict: true, ...times },
        })
      ).body.id,
    )

  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await own.owner(
      'GET',
      `/api/v1/events?limit=100${cursor && `&cursor=${cursor}`}`,
    )
    expect(status).toBe(200)
    found.push(...body.data.map(({ id }: Listed) => id))
    cursor = body.pagination.cursor
  }

  expect(found).toEqual(entered)
})

const begin = fc.integer({ min: 0, max: days * 24 * 4 }).map((quarter) => first + (quarter * hour) / 4)
const length = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }).map((quarters) => (quarters * hour) / 4) },
  { weight: 2, arbitrary: fc.integer({ min: 12, max: 72 }).map((hours) => hours * hour) },
  { weight: 1, arbitrary: fc.integer({ min: 3, max: 30 }).map((count) => count * 24 * hour) },
)
const attendees = fc.constantFrom([], [0], [1], [0, 1])
const draft = fc.oneof(
  fc
    .record({ begin, length, attendees, case: fc.integer({ min: 0, max: 2 }), meeting: fc.boolean() })
    .map(({ begin, length, meeting, ...rest }) => ({
      ...rest,
      title: 'Termin',
      type: meeting ? 'meeting' : 'event',
      start: new Date(begin).toISOString(),
      end: new Date(begin + length).toISOString(),
      allow_conflict: true,
      due_at: undefined,
    })),
  fc
    .record({
      begin,
      count: fc.integer({ min: 0, max: 300 }),
      attendees,
      case: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ begin, count, ...rest }) => ({
      ...rest,
      title: 'Tage',
      all_day: true,
      start: new Date(begin).toISOString().slice(0, 10),
      end: new Date(begin + Math.floor(count ** 2 / 300) * 24 * hour).toISOString().slice(0, 10),
      due_at: undefined,
    })),
  fc.record({ begin, case: fc.integer({ min: 0, max: 2 }) }).map(({ begin, ...rest }) => ({
    ...rest,
    title: 'Frist',
    due_at: new Date(begin).toISOString(),
    attendees: undefined,
  })),
)

async function walk(query: string, limit: number): Promise<Listed[]> {
  const found: Listed[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await firm.owner('GET', `/api/v1/events?${query}&limit=${limit}${cursor}`)
    expect(status).toBe(200)
    found.push(...body.data)
    if (!body.pagination.has_more) return found
    cursor = `&cursor=${body.pagination.cursor}`
  }
}

const query = fc.record({
  from: fc.option(begin),
  span: fc.option(fc.integer({ min: 1, max: 60 * 24 }).map((hours) => hours * hour)),
  type: fc.option(fc.constantFrom('event', 'meeting', 'deadline')),
  case: fc.option(fc.integer({ min: 0, max: 1 })),
  attendee: fc.option(fc.integer({ min: 0, max: 1 })),
  limit: fc.constantFrom(3, 10, 50),
})

/** The expected list, computed from all records. */
function expected({ from, span, type, ...query }: Wanted): Listed[] {
  const until = span === null ? null : (from ?? first) + span
  return everything.filter((one) => {
    const start = Date.parse(one.start)
    const end = one.all_day ? Date.parse(one.end) + 1_000 : Date.parse(one.end)
    const [caseId, user] = [cases[query.case ?? -1], users[query.attendee ?? -1]]
    const whose = one.attendees.length > 0 ? one.attendees : [one.created_by]
    return (
      (from === null || (one.type === 'deadline' ? start >= from : end > from)) &&
      (until === null || start <= until) &&
      (type === null || one.type === type) &&
      (caseId === undefined || one.case_id === caseId) &&
      (user === undefined || whose.includes(user))
    )
  })
}

type Wanted = {
  from: number | null
  span: number | null
  type: string | null
  case: number | null
  attendee: number | null
}

const timeZones = ['Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati']

describe('whatever is asked for', () => {
  it.each(
    timeZones,
  )('in %s, the list walked in pages of any size holds exactly that, by start', async (time_zone) => {
    // All-day events were entered elsewhere: they are on their days also if the firm has moved.
    await firm.owner('PATCH', '/api/v1/workspace', { body: { time_zone } })
    everything = await walk('', 100)
    expect(everything).toHaveLength(entered)
    const starts = everything.map(({ start }) => Date.parse(start))
    expect(starts).toEqual(starts.toSorted((one, other) => one - other))
    await fc.assert(
      fc.asyncProperty(query, async ({ limit, ...wanted }) => {
        const { from, span } = wanted
        const parameters = new URLSearchParams({
          ...(from !== null && { from: new Date(from).toISOString() }),
          ...(span !== null && { to: new Date((from ?? first) + span).toISOString() }),
          ...(wanted.type !== null && { type: wanted.type }),
          ...(wanted.case !== null && { case_id: cases[wanted.case] ?? '' }),
          ...(wanted.attendee !== null && { attendee: users[wanted.attendee] ?? '' }),
        })

        const found = await walk(String(parameters), limit)

        expect(found.map(({ id }) => id)).toEqual(expected(wanted).map(({ id }) => id))
      }),
      { numRuns: 30 },
    )
  })
})

describe('the longest events', () => {
  const openCase = async ({ owner }: Firm) =>
    (await owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id as string

  it('of 70 days move to other days and another case at once', async () => {
    const firm = await newFirm()
    const [case_id, other] = [await openCase(firm), await openCase(firm)]
    const [before, after] = [
      { start: '2031-01-31T08:00:00Z', end: '2031-04-10T08:00:00Z' },
      { start: '2031-05-31T08:00:00Z', end: '2031-08-08T08:00:00Z' },
    ]
    const { body } = await firm.owner('POST', '/api/v1/events', {
      body: { title: 'Lang', case_id, ...before },
    })

    const moved = await firm.owner('PATCH', `/api/v1/events/${body.id}`, {
      body: { case_id: other, ...after },
    })

    expect([moved.status, moved.body.case_id]).toEqual([200, other])
  })

  it('of a year are refused clearly if they change into a long timed event', async () => {
    const firm = await newFirm()
    const case_id = await openCase(firm)
    const year = { all_day: true, start: '2031-01-01', end: '2031-12-31' }
    const { body } = await firm.owner('POST', '/api/v1/events', { body: { title: 'Jahr', case_id, ...year } })
    const timed = { all_day: false, start: '2032-01-31T08:00:00Z', end: '2032-04-09T08:00:00Z' }

    const refused = await firm.owner('PATCH', `/api/v1/events/${body.id}`, { body: timed })

    expect([refused.status, refused.body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect((await firm.owner('GET', `/api/v1/events/${body.id}`)).body).toEqual(body)
  })
})
