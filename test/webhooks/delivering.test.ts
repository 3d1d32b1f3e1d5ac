import { afterEach, expect, it, vi } from 'vitest'
import { timeOf, uuidv7At } from '#kernel/id.ts'
import { key, memoryDeliveries, seenAccount } from '#test/support/memory-deliveries.ts'
import { waitingFor } from '#webhooks/deliveries/work.ts'
import type { DeliveryRecord } from '#webhooks/endpoint-ports.ts'
import { deliveryIdOf } from '#webhooks/endpoint-schema.ts'
import { disabledLogLine } from '#webhooks/log-lines.ts'

/** The worker of deliveries (E4 to E7) without a service: what changes while it sends, and what it leaves to the next. */

afterEach(() => void vi.useRealTimers())

const idsOf = (all: { id: string }[]) => all.map(({ id }) => id)

it.each([
  ['deleted', { endpoint: undefined }],
  ['disabled', { status: 'disabled' as const }],
])('an endpoint that is %s while its worker sends gets no more within seconds', async (_, changes) => {
  const { state, happen, onRequest, pass, run, sent } = memoryDeliveries()
  onRequest((count) => {
    if (count === 10) {
      state.endpoint =
        'endpoint' in changes || state.endpoint === undefined ? undefined : { ...state.endpoint, ...changes }
      state.dispatch.asked += 1
    }
    pass(1_000)
    return 204
  })

  await run({ events: happen(100) })

  expect(sent.length).toBeLessThan(25)
})

it('a new address and secret are used within seconds, and everything is sent once', async () => {
  const { state, happen, onRequest, pass, run, sent } = memoryDeliveries()
  const events = happen(100)
  onRequest((count) => {
    if (count === 10 && state.endpoint !== undefined) {
      state.endpoint = { ...state.endpoint, url: 'https://kanzlei.example/other', sealed_secret: 'second' }
      state.dispatch.asked += 1
    }
    pass(1_000)
    return 204
  })

  await run({ events })

  const old = sent.filter(({ url }) => url === 'https://kanzlei.example/one')
  expect(old.length).toBeLessThan(25)
  expect(idsOf(sent).toSorted()).toEqual(idsOf(events).toSorted())
})

it('a replay goes on where the worker before stopped, and leaves nothing out', async () => {
  const { state, happen, onRequest, replays, run, sent } = memoryDeliveries()
  const events = happen(700)
  const until = (events.at(-2)?.id ?? '').slice('wev_'.length)
  replays.push({ id: 'whd_1', after: uuidv7At(0), until, types: ['party.created'] })
  state.dispatch.is_replaying = true
  onRequest((count) => {
    if (count === 300 || count === 400) state.isOver.abort()
    return 204
  })

  await run()
  const first = sent.length
  await run()
  const second = sent.length
  await run()

  expect([first < 320, second > first, second < 430]).toEqual([true, true, true])
  expect([...new Set(idsOf(sent))]).toEqual(idsOf(events).slice(0, -1))
  expect([replays, state.dispatch.is_replaying]).toEqual([[], false])
})

it('a worker that loses its claim leaves its replay to the next one: no event becomes a resend', async () => {
  const { state, happen, onRequest, pass, replays, run, sent, waiting } = memoryDeliveries()
  const events = happen(40)
  const until = (events.at(-1)?.id ?? '').slice('wev_'.length)
  const begin = uuidv7At(0)
  replays.push({ id: 'whd_1', after: begin, until, types: ['party.created'] })
  Object.assign(state.dispatch, { is_replaying: true, followed_to: until })
  onRequest((count) => {
    if (count === 20) {
      Object.assign(state.dispatch, { claimed_by: 'another', claimed_until: null })
      pass(30_000)
    }
    return 204
  })
  await run()
  const [first, place, entries] = [sent.length, replays[0]?.after, waiting.size]

  await run()

  expect([first < 30, place, entries]).toEqual([true, begin, 0])
  expect([...new Set(idsOf(sent))].toSorted()).toEqual(idsOf(events))
  expect([replays, state.dispatch.is_replaying]).toEqual([[], false])
})

it('new events of an endpoint come before the rest of a replay', async () => {
  const { state, happen, onRequest, pass, replays, run, sent } = memoryDeliveries()
  const until = (happen(240).at(-1)?.id ?? '').slice('wev_'.length)
  replays.push({ id: 'whd_1', after: uuidv7At(0), until, types: ['party.created'] })
  state.dispatch.is_replaying = true
  const [fresh] = happen(1)
  let asking: Promise<void> | undefined
  onRequest((count) => {
    if (count === 20 && fresh !== undefined) asking = run({ events: [fresh] })
    pass(1_000)
    return 204
  })

  await run()
  await asking

  expect(idsOf(sent).indexOf(fresh?.id ?? '')).toBeLessThan(40)
  expect(new Set(idsOf(sent)).size).toBe(241)
})

it('what failed before an endpoint was enabled is sent again, although the first worker has no time for all', async () => {
  const { state, happen, records, run, sent } = memoryDeliveries()
  const events = happen(40)
  for (const event of events) records.set(event.id, failed(event))
  state.dispatch.recover_since = '2027-01-01T00:00:00.000Z'
  const deps = run()
  state.isOver.abort()

  await deps
  const recoverSince = state.dispatch.recover_since
  await run()

  expect([recoverSince, state.dispatch.recover_since]).toEqual(['2027-01-01T00:00:00.000Z', null])
  expect(idsOf(sent).toSorted()).toEqual(idsOf(events).toSorted())
  expect([...records.values()].every(({ status }) => status === 'succeeded')).toBe(true)
})

it('what waits again after an endpoint was enabled is pending, and is not recovered twice', async () => {
  const { state, happen, onRequest, records, run, waiting, sent } = memoryDeliveries()
  const events = happen(40)
  for (const event of events) records.set(event.id, failed(event))
  state.dispatch.recover_since = '2027-01-01T00:00:00.000Z'
  onRequest(() => {
    state.isOver.abort()
    return 204
  })

  await run()
  const statuses = [...records.values()].map(({ status }) => status)

  expect(state.dispatch.recover_since).not.toBeNull()
  expect(statuses).not.toContain('failed')
  expect(waiting.size).toBe(40 - sent.length)
})

it('an endpoint that is enabled while its worker sends begins anew: failures before do not count', async () => {
  const { state, happen, onRequest, pass, run } = memoryDeliveries()
  state.dispatch.failing_since = '2027-01-01T07:00:00.000Z'
  state.dispatch.notices = 1
  onRequest((count) => {
    if (count === 10) {
      const asked = state.dispatch.asked + 1
      const recover_since = '2027-01-01T07:00:00.000Z'
      Object.assign(state.dispatch, { failing_since: null, notices: 0, recover_since, asked })
    }
    pass(1_000)
    return 500
  })

  await run({ events: happen(40) })

  expect(state.dispatch.failing_since).toMatch(/^2027-01-04/)
  expect(state.dispatch.notices).toBe(0)
})

function failed(event: DeliveryRecord['event']): DeliveryRecord {
  return {
    ...key,
    id: deliveryIdOf(key.endpoint_id, event.id),
    event_id: event.id,
    event_type: event.type,
    event,
    status: 'failed',
    attempts: [],
    next_attempt_at: null,
    updated_at: '2027-01-04T06:59:00.000Z',
  }
}

it('an endpoint that hangs gets nothing for a while, then one request at a time until they are answered', async () => {
  const { state, happen, onRequest, pass, run, sent, waiting } = memoryDeliveries()
  let open = 0
  let most = 0
  let answer = 0
  onRequest(async () => {
    open += 1
    most = Math.max(most, open)
    await new Promise((resolve) => setImmediate(resolve))
    open -= 1
    return answer
  })
  const rounds: { sent: number; most: number }[] = []
  const visit = async (milliseconds: number) => {
    most = 0
    pass(milliseconds)
    await run()
    rounds.push({ sent: sent.length, most })
  }

  await run({ events: happen(20) })
  rounds.push({ sent: sent.length, most })
  await visit(4_000)
  await visit(2_000)
  await visit(60_000)
  answer = 204
  await visit(300_000)

  expect(rounds.slice(0, 4)).toEqual([
    { sent: 4, most: 4 },
    { sent: 4, most: 0 },
    { sent: 5, most: 1 },
    { sent: 5, most: 0 },
  ])
  expect([rounds[4]?.most, waiting.size]).toEqual([4, 0])
  expect([state.dispatch.timeouts, state.dispatch.quiet_until]).toEqual([null, null])
})

it('an endpoint that hangs is tried at its new address at once', async () => {
  const { state, happen, onRequest, run, sent, waiting } = memoryDeliveries()
  onRequest((count) => {
    if (count > 1) return 204
    if (state.endpoint !== undefined)
      state.endpoint = { ...state.endpoint, url: 'https://kanzlei.example/other' }
    state.dispatch.asked += 1
    return 0
  })

  await run({ events: happen(20) })

  expect(sent.filter(({ url }) => url === 'https://kanzlei.example/other').length).toBeGreaterThan(10)
  expect(waiting.size).toBe(1)
})

it.each([
  ['a run that goes on', false],
  ['a run that is over', true],
])('an endpoint is not disabled for the failures of its old address: %s', async (_, isOver) => {
  const { state, happen, onRequest, pass, run } = memoryDeliveries()
  onRequest(() => 500)
  await run({ events: happen(1) })
  pass(119 * 3_600_000)
  onRequest((count) => {
    if (count === 2 && state.endpoint !== undefined) {
      state.endpoint = { ...state.endpoint, url: 'https://kanzlei.example/other' }
      Object.assign(state.dispatch, { failing_since: null, notices: 0, asked: state.dispatch.asked + 1 })
      if (isOver) state.isOver.abort()
    }
    return 500
  })
  await run({ events: happen(1) })
  pass(2 * 3_600_000)
  onRequest(() => 204)

  await run({ events: happen(1) })

  expect([state.endpoint?.status, state.dispatch.failing_since, state.dispatch.notices]).toEqual([
    'active',
    null,
    0,
  ])
})

it('an endpoint that answers 410 is disabled at once, with the line of the log that raises an alarm', async () => {
  const { state, happen, onRequest, run, lines } = memoryDeliveries()
  onRequest(() => 410)

  await run({ events: happen(20) })

  expect([state.endpoint?.status, state.endpoint?.disabled_reason]).toEqual(['disabled', 'gone'])
  expect(lines).toEqual([disabledLogLine])
})

it('an endpoint is not disabled by a 410 of its old address', async () => {
  const { state, happen, onRequest, run } = memoryDeliveries()
  onRequest((count) => {
    if (count > 1 || state.endpoint === undefined) return 204
    state.endpoint = { ...state.endpoint, url: 'https://kanzlei.example/other' }
    state.dispatch.asked += 1
    return 410
  })

  await run({ events: happen(1) })

  expect([state.endpoint?.status, state.endpoint?.url]).toEqual(['active', 'https://kanzlei.example/other'])
})

it.each([
  [199, 'pending'],
  [200, 'succeeded'],
  [299, 'succeeded'],
  [300, 'pending'],
])('an answer with status %i makes a delivery %s (E4)', async (status, expected) => {
  const { happen, onRequest, records, run } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  onRequest(() => status)

  await run({ events: [event] })

  expect(records.get(event.id)?.status).toBe(expected)
})

it('a resend that fails does not count against the endpoint, and one that succeeds ends its failure (E6)', async () => {
  const { state, happen, onRequest, run, waiting } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  const resend = async (status: number) => {
    onRequest(() => status)
    waiting.clear()
    const entry = waitingFor(event, timeOf(event.id), { isAgain: true })
    waiting.set(entry.place, entry)
    await run()
    return state.dispatch.failing_since
  }

  const failed = await resend(500)
  state.dispatch.failing_since = '2027-01-03T07:00:00.000Z'

  expect([failed, await resend(500), await resend(204)]).toEqual([null, '2027-01-03T07:00:00.000Z', null])
})

it('an event whose message comes again before its next attempt is not sent before it', async () => {
  const { happen, onRequest, pass, run, sent, waiting } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  onRequest((count) => (count === 1 ? 500 : 204))
  await run({ events: [event] })
  const [due] = waiting.values()
  const again = waitingFor(event, timeOf(event.id))
  waiting.set(again.place, again)

  await run()
  const [sentBefore, left] = [sent.length, [...waiting.values()]]
  pass(6_000)
  await run()

  expect([sentBefore, left, sent.length, waiting.size]).toEqual([1, [due], 2, 0])
})

it.each([204, 500])('an event that waits twice is sent once, whatever comes of it (%i)', async (status) => {
  const { happen, onRequest, run, sent, waiting } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  for (const [seconds, failures] of [
    [0, 0],
    [5, 1],
  ] as const) {
    const entry = waitingFor(event, new Date(timeOf(event.id).getTime() + seconds * 1_000), { failures })
    waiting.set(entry.place, entry)
  }
  onRequest(() => status)

  await run()

  expect(sent).toHaveLength(1)
  expect([...waiting.values()].map(({ failures }) => failures)).toEqual(status === 204 ? [] : [2])
})

it('a resend is sent although its next attempt would be later', async () => {
  const { happen, onRequest, records, run, sent, waiting } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  onRequest((count) => (count === 1 ? 500 : 204))
  await run({ events: [event] })
  const resend = waitingFor(event, timeOf(event.id), { isAgain: true })
  waiting.set(resend.place, resend)

  await run()

  expect([sent.length, records.get(event.id)?.status]).toEqual([2, 'succeeded'])
})

it.each([
  'resend',
  'replay',
] as const)('an endpoint that has taken everything by a %s does not fail any more', async (how) => {
  const { state, happen, onRequest, pass, replays, run, sent, waiting } = memoryDeliveries()
  const [event] = happen(1)
  if (event === undefined) throw new Error('There is no event.')
  onRequest((count) => (count === 1 ? 500 : 204))
  await run({ events: [event] })
  const failing = state.dispatch.failing_since
  const resend = waitingFor(event, timeOf(event.id), { isAgain: true })
  const replay = { id: 'whd_1', after: uuidv7At(0), until: event.id.slice('wev_'.length) }
  if (how === 'resend') waiting.set(resend.place, resend)
  else {
    replays.push({ ...replay, types: ['party.created'] })
    state.dispatch.is_replaying = true
  }
  await run()
  pass(10_000)
  await run()
  pass(121 * 3_600_000)
  await run()

  expect(failing).not.toBeNull()
  expect([sent.length, waiting.size, state.dispatch.failing_since]).toEqual([2, 0, null])
  expect(state.endpoint?.status).toBe('active')
})

it('what waits is not sent once the endpoint does not name its type any more', async () => {
  const { state, happen, onRequest, pass, records, run, sent, waiting } = memoryDeliveries()
  const events = happen(3)
  onRequest(() => 500)
  await run({ events })
  if (state.endpoint !== undefined) state.endpoint = { ...state.endpoint, event_types: ['case.*'] }

  pass(10_000)
  await run()

  expect([sent.length, waiting.size]).toEqual([3, 0])
  expect([...records.values()].map((one) => [one.status, one.next_attempt_at])).toEqual(
    events.map(() => ['failed', null]),
  )
})

it('of a type that was taken away no replay is repeated, and a resend is sent', async () => {
  const { state, happen, onRequest, pass, records, replays, run, sent, waiting } = memoryDeliveries()
  const [replayed] = happen(1)
  const until = (replayed?.id ?? '').slice('wev_'.length)
  replays.push({ id: 'whd_1', after: uuidv7At(0), until, types: ['party.created'] })
  Object.assign(state.dispatch, { is_replaying: true, followed_to: until })
  onRequest((count) => (count === 1 ? 500 : 204))
  await run()
  const [retry] = waiting.values()
  if (state.endpoint !== undefined) state.endpoint = { ...state.endpoint, event_types: ['case.*'] }
  pass(10_000)
  await run()
  const [sentBefore, statusBefore] = [sent.length, records.get(replayed?.id ?? '')?.status]
  if (replayed === undefined) throw new Error('There is no event.')
  const resend = waitingFor(replayed, timeOf(replayed.id), { isAgain: true })
  waiting.set(resend.place, resend)

  await run()

  expect(retry).toMatchObject({ isAgain: true, failures: 1 })
  expect([sentBefore, statusBefore]).toEqual([1, 'failed'])
  expect([sent.length, waiting.size, records.get(replayed.id)?.status]).toEqual([2, 0, 'succeeded'])
})

it('a beA event that an earlier release let wait is sent if the user may see it by the log, and otherwise not', async () => {
  const { state, happen, log, records, run, sent, waiting } = memoryDeliveries()
  if (state.endpoint !== undefined) state.endpoint = { ...state.endpoint, acts_for: 'usr_1' }
  const [seen, foreign, forgotten] = happen(3).map((event) => ({
    ...{ ...event, type: 'bea_message.received' as const },
  }))
  if (seen === undefined || foreign === undefined || forgotten === undefined) throw new Error('none')
  const needs = (account_id: string) => ({ needs: { account_id, operation: 'read' as const } })
  log.splice(0, 3, { ...seen, ...needs(seenAccount) }, { ...foreign, ...needs('bac_2') })
  for (const event of [seen, foreign, forgotten]) records.set(event.id, failed(event))
  Object.assign(state.dispatch, {
    recover_since: '2027-01-01T00:00:00.000Z',
    followed_to: forgotten.id.slice('wev_'.length),
  })

  await run()

  expect(idsOf(sent)).toEqual([seen.id])
  const statuses = [seen, foreign, forgotten].map(({ id }) => records.get(id)?.status)
  expect([statuses, waiting.size]).toEqual([['succeeded', 'failed', 'failed'], 0])
})

it('an attempt that is due within a quarter of an hour has a message of its own, and one is enough', async () => {
  const { state, happen, onRequest, pass, run, delays } = memoryDeliveries()
  onRequest(() => 500)

  await run({ events: happen(1) })
  pass(6_000)
  await run()
  const [first, second] = delays
  await run()
  await run({ events: happen(1) })
  const due = Date.parse(state.dispatch.due_at)

  expect(first).toBe(6)
  expect(second).toBeGreaterThanOrEqual(300)
  expect(second).toBeLessThanOrEqual(330)
  expect([delays.length, delays[2]]).toEqual([3, 6])
  expect(state.dispatch.reminded_at).toBe(new Date(due).toISOString())
})

it('after an endpoint was enabled, a worker stops in time although nothing has failed, and the next one goes on there', async () => {
  const { state, happen, records, run, sent, pagesRead, onPage } = memoryDeliveries()
  const events = happen(100)
  for (const [at, event] of events.entries())
    records.set(event.id, { ...failed(event), status: at === 0 ? 'failed' : 'succeeded' })
  state.dispatch.recover_since = '2027-01-01T00:00:00.000Z'
  onPage(() => state.isOver.abort())

  const read: number[] = []
  for (let visit = 0; visit < 10; visit += 1) {
    await run()
    read.push(pagesRead.splice(0).length)
  }
  await run()

  expect(read).toEqual(Array(10).fill(1))
  expect(state.dispatch.recover_since).toBeNull()
  expect(idsOf(sent)).toEqual([events[0]?.id])
})

it('an endpoint that is disabled during its recovery, and enabled again, gets everything that failed before', async () => {
  const { state, happen, records, run, sent, waiting, onPage } = memoryDeliveries()
  const events = happen(40)
  for (const event of events) records.set(event.id, failed(event))
  state.dispatch.recover_since = '2027-01-01T00:00:00.000Z'
  const setTo = (status: 'active' | 'disabled') => {
    if (state.endpoint !== undefined) state.endpoint = { ...state.endpoint, status }
    Object.assign(state.dispatch, { is_paused: status === 'disabled', asked: state.dispatch.asked + 1 })
  }
  onPage(() => state.isOver.abort())
  await run()
  const isWaiting = waiting.size > 0 && waiting.size < 40
  onPage(() => {})

  setTo('disabled')
  await run()
  const isGivenUp = waiting.size === 0 && sent.length === 0
  setTo('active')
  await run()

  expect([isWaiting, isGivenUp, state.dispatch.recover_since]).toEqual([true, true, null])
  expect(idsOf(sent).toSorted()).toEqual(idsOf(events).toSorted())
})

it.each([
  ['an endpoint that answers after fourteen seconds', 14_000, false, 4],
  ['an endpoint that gets a replay', 1_000, true, 9],
  ['another endpoint', 1_000, false, 24],
])('%s keeps its worker for a few seconds, and the next one goes on', async (_, milliseconds, isReplay, most) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { state, happen, onRequest, replays, run, sent, delays } = memoryDeliveries()
  const events = happen(40)
  if (isReplay) {
    const until = (events.at(-1)?.id ?? '').slice('wev_'.length)
    replays.push({ id: 'whd_1', after: uuidv7At(0), until, types: ['party.created'] })
    state.dispatch.is_replaying = true
  }
  onRequest(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(milliseconds)
    return 204
  })

  await run(isReplay ? undefined : { events })

  expect(sent.length).toBeGreaterThan(0)
  expect(sent.length).toBeLessThanOrEqual(most)
  expect(delays).toEqual([0])
})
