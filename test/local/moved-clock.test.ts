import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '#store/client.ts'
import { allEvents, eventList } from '#store/webhooks/event-actions.ts'
import { eventIn } from '#store/webhooks/event-log.ts'
import { type Api, api } from '#test/support/api.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { anna, bert, createEnvelope, envelopes } from '#test/support/office-envelopes.ts'
import { type Service, startService } from '#test/support/service.ts'
import { sendBySmtp } from '#test/support/smtp-client.ts'
import { shownEvents } from '#test/support/webhook-events.ts'
import type { StoredEvent } from '#webhooks/catalogue-schema.ts'

/** E9 over the whole service: everything that is due happens, in order, while the clock is moved. */

const start = '2027-01-04T08:00:00+01:00'
const [minute, day] = [60_000, 86_400_000]

let service: Service
let office: Api
beforeAll(async () => {
  await serve(['--empty', '--at', start])
})
// The next start is not to find the variables of a running service.
afterEach(() => void vi.unstubAllEnvs())
afterAll(async () => {
  await service.stop()
  // Stopping does not remove it, because the last test chose it.
  rmSync(service.dataDir, { recursive: true, force: true })
})

async function serve(commandLine: string[], dataDir?: string): Promise<void> {
  service = await startService({ commandLine, ...(dataDir && { dataDir }) })
  office = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
}

const clock = (send?: RequestInit) => fetch(`${service.baseUrl}/local/clock`, send)
const post = (body: unknown, headers = {}) =>
  clock({ method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
const now = async (): Promise<number> => Date.parse(((await (await clock()).json()) as { now: string }).now)

it('the service starts at the time that is named, and its clock goes on ticking', async () => {
  const [first, second] = [await now(), await now()]
  const { body } = await office('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })

  expect(first - Date.parse(start)).toBeGreaterThan(0)
  expect(first - Date.parse(start)).toBeLessThan(2 * minute)
  expect(second).toBeGreaterThan(first)
  expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(first)
  expect(Date.parse(body.created_at) - first).toBeLessThan(minute)
})

it('in one step of ninety days everything that is due happens in its order, each at its time', async () => {
  // Prepare
  const sent = async (signer: object, fields: object) => {
    const { id } = (await createEnvelope(office, { signers: [signer], ...fields })).body
    const { body } = await office('POST', `${envelopes}/${id}/send`, { body: { send_emails: true } })
    return { id, sentAt: Date.parse(body.sent_at), expiresAt: Date.parse(body.expires_at) }
  }
  const reminders = { first_after_days: 3, repeat_every_days: 7 }
  const long = await sent(anna, { reminders })
  const short = await sent(bert, { expires_at: new Date((await now()) + 10 * day).toISOString() })
  const schedule = { frequency: 'weekly', time: '06:15', weekday: 1 }
  const weekly = await aConfig({ owner: office }, { format: 'csv', schedule })
  const case_id = (await office('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
  const dueInDays = [1, 11, 12, 45, 89]
  const deadlines = await Promise.all(
    dueInDays.map(async (days) => {
      const due_at = `${new Date((await now()) + days * day).toISOString().slice(0, 19)}Z`
      const { body } = await office('POST', '/api/v1/deadlines', {
        body: { title: 'Frist', case_id, due_at },
      })
      return { id: body.id as string, due_at: Date.parse(due_at) }
    }),
  )
  const announced = { filename: 'Groß.pdf', mime_type: 'application/pdf', size_bytes: 10_000_000 }
  const announcedAt = await now()
  const upload = (await office('POST', '/api/v1/documents/uploads', { body: announced })).body.document
  const from = await now()
  await moveClock(service, 'PT0S')

  // Act
  const answer = await moveClock(service, 'P90D')

  // Assess
  const eventsOf = async ({ id }: { id: string }) =>
    (await office('GET', `${envelopes}/${id}/audit`)).body.data.map(
      ({ action, at }: { action: string; at: string }) => ({ what: `${action} ${id}`, at: Date.parse(at) }),
    )
  const { body: runs } = await office('GET', `${configsPath}/${weekly.id}/runs`)
  const events = await everLogged()
  const eventsAt = (type: string) =>
    events
      .filter((event) => event.type === type)
      .map(({ data, occurred_at }) => ({ what: `${type} ${data.id}`, at: Date.parse(occurred_at) }))
  const happened = [
    ...eventsAt('deadline.overdue'),
    ...eventsAt('document.deleted'),
    ...eventsAt('envelope.expired'),
    ...(await eventsOf(long)),
    ...(await eventsOf(short)),
    ...runs.data.map(({ started_at }: { started_at: string }) => ({
      what: 'export',
      at: Date.parse(started_at),
    })),
  ].filter(({ what, at }) => at > from && /^(reminded|expired|export|deadline|document|envelope)/.test(what))
  const due = [
    ...deadlines.map(({ id, due_at }) => ({ what: `deadline.overdue ${id}`, at: due_at })),
    { what: `document.deleted ${upload.id}`, at: announcedAt + day },
    ...[3, 10, 17, 24].map((days) => ({ what: `reminded ${long.id}`, at: long.sentAt + days * day })),
    ...[long, short].flatMap(({ id, expiresAt: at }) => [
      { what: `expired ${id}`, at },
      { what: `envelope.expired ${id}`, at },
    ]),
    ...Array.from({ length: 12 }, (_, week) => ({
      what: 'export',
      at: berlin('2027-01-11', 7 * week, '06:15'),
    })),
  ]
  const inOrder = (one: { at: number }, other: { at: number }) => one.at - other.at
  expect(happened.toSorted(inOrder).map(({ what }) => what)).toEqual(
    due.toSorted(inOrder).map(({ what }) => what),
  )
  for (const [at, one] of happened.toSorted(inOrder).entries())
    expect(one.at - (due.toSorted(inOrder)[at]?.at ?? 0)).toBeLessThan(2 * minute)
  expect(eventsAt('export_run.succeeded')).toHaveLength(12)
  expect(runs.data.every(({ status }: { status: string }) => status === 'succeeded')).toBe(true)
  expect(answer.settled).toBe(true)
  expect(Date.parse(answer.now)).toBeGreaterThanOrEqual(from + 90 * day)
  expect(Date.parse(answer.now)).toBeLessThan(from + 90 * day + 5 * minute)
})

/** Every event of the table, also events that are older than the thirty days of the log. */
async function everLogged(): Promise<StoredEvent[]> {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const workspace = service.credentials.workspaces[0]?.id ?? ''
  const { entries } = await eventList(db).read(workspace, allEvents, {}, 1_000)
  const pk = `${workspace}#webhook_events#${allEvents}`
  return entries.flatMap(({ place, data }) => eventIn({ pk, sk: place, data: JSON.stringify(data) }) ?? [])
}

/** The moment of a local time in Berlin, some days after a date. */
function berlin(date: string, days: number, time: string): number {
  const utc = Date.parse(`${date}T${time}:00Z`) + days * day
  const isSummer = utc > Date.parse('2027-03-28T01:00:00Z')
  return utc - (isSummer ? 2 : 1) * 60 * minute
}

it('an answer that was kept for a day is forgotten after two', async () => {
  const headers = { 'Idempotency-Key': 'clock-4711' }
  const create = async () =>
    (await office('POST', '/api/v1/parties', { headers, body: { name: 'Bert Schulze' } })).body.id

  const [first, repeated] = [await create(), await create()]
  await moveClock(service, 'P2D')
  const later = await create()

  expect(repeated).toBe(first)
  expect(later).not.toBe(first)
})

it.each([
  ['a negative duration', { advance: '-PT1S' }, 'CLOCK_BACKWARD'],
  ['an earlier time', { now: '2027-01-04T08:00:00+01:00' }, 'CLOCK_BACKWARD'],
  ['a time without offset', { now: '2028-01-04T08:00:00' }, 'VALIDATION_ERROR'],
  ['no duration', { advance: 'P' }, 'VALIDATION_ERROR'],
  ['a century', { advance: 'P100Y' }, 'VALIDATION_ERROR'],
  ['both', { advance: 'P1D', now: '2028-01-04T08:00:00Z' }, 'VALIDATION_ERROR'],
  ['nothing', {}, 'VALIDATION_ERROR'],
  ['no JSON', '{"advance":', 'VALIDATION_ERROR'],
])('%s is refused, and the clock stays', async (_, body, code) => {
  const before = await now()

  const refused = await post(body)

  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    code,
  ])
  expect((await now()) - before).toBeLessThan(minute)
})

it.each([
  ['a page of another origin', { Origin: 'https://example.com' }],
  ['a proxy', { 'X-Forwarded-For': '203.0.113.9' }],
])('%s may neither read nor move it', async (_, headers) => {
  const answers = [await post({ advance: 'P1D' }, headers), await clock({ headers })]

  expect(answers.map(({ status }) => status)).toEqual([403, 403])
})

it('two moves at the same time add up', async () => {
  const before = await now()

  const answers = await Promise.all([post({ advance: 'PT1H' }), post({ advance: 'PT1H' })])

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const moved = (await now()) - before
  expect(moved).toBeGreaterThanOrEqual(120 * minute)
  expect(moved).toBeLessThan(122 * minute)
})

it('requests and mails that come while the clock is moved are taken as usual, and the log has all of their events', async () => {
  let isMoving = true
  let isFollowing = true
  const statuses = new Set<number>()
  const made: string[] = []
  const clients = Array.from({ length: 3 }, async () => {
    while (isMoving) {
      const { status, body } = await office('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })
      statuses.add(status)
      made.push(body.id)
      // The clock moves on when no job is left, so a machine with other work must be able to keep up.
      await sleep(50)
    }
  })
  const { smtp_url = '', workspaces } = service.credentials
  const office_address = workspaces[0]?.inbound_address ?? ''
  const send = (name: number) =>
    sendBySmtp(smtp_url, {
      from: 'meier@example.de',
      to: [office_address],
      raw: `From: meier@example.de\r\nTo: ${office_address}\r\nMessage-ID: <${name}@example.de>\r\nSubject: Frage ${name}\r\n\r\nHallo.\r\n`,
    })
  const read: StoredEvent[] = []
  const follower = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = !isFollowing
      await sleep(200)
      const after = read.at(-1)
      read.push(...(await shownEvents(office, after && `after=${after.id}`)))
    }
  }
  const following = follower()

  const moves = 5
  for (let move = 0; move < moves; move += 1) await Promise.all([moveClock(service, 'PT10H'), send(move)])
  isMoving = false
  await Promise.all(clients)
  await moveClock(service, 'PT5S')
  isFollowing = false
  await following

  expect([...statuses]).toEqual([201])
  const idsOf = (type: string) => read.filter((one) => one.type === type).map(({ data }) => data.id)
  const seen = idsOf('party.created')
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toEqual(expect.arrayContaining(made))
  const received = idsOf('mail.received')
  expect([received.length, new Set(received).size]).toEqual([moves, moves])
  expect(new Set(idsOf('mail.judged'))).toEqual(new Set(received))
})

it('the time survives a kill and a restart, and a start at an earlier one is refused', async () => {
  const { dataDir } = service
  const before = await now()
  await service.kill()

  await expect(startService({ dataDir, commandLine: ['--at', start] })).rejects.toThrow('goes forward only')
  await serve([], dataDir)

  const after = await now()
  expect(after).toBeGreaterThan(before)
  expect(after - before).toBeLessThan(3 * minute)
})
