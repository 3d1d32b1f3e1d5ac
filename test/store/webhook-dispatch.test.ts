import { beforeAll, expect, it, vi } from 'vitest'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { deliveryStore } from '#store/webhooks/delivery-store.ts'
import { dispatchStore } from '#store/webhooks/dispatch-store.ts'
import { endpointStore } from '#store/webhooks/endpoint-store.ts'
import { faultyStore } from '#test/support/faulty-store.ts'
import { sharedTable } from '#test/support/table.ts'
import { waitingFor } from '#webhooks/deliveries/work.ts'
import type { DeliveryRecord, Dispatch, EndpointKey, EndpointRecord } from '#webhooks/endpoint-ports.ts'
import { deliveryIdOf } from '#webhooks/endpoint-schema.ts'

/** The claim of an endpoint, and who asks for it from outside, in the table. */

let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

async function anEndpoint() {
  const workspace_id = newId('workspace')
  const id = newId('webhookEndpoint')
  const runner = { run: async () => {} }
  const endpoints = endpointStore({ db, outbox: outbox(db, runner, { error: () => {} }) })
  const record = {
    ...{ id, workspace_id, url: 'https://kanzlei.example/', description: null, event_types: ['*'] },
    ...{ status: 'active', disabled_reason: null, lost_since: null, created_at: '', updated_at: '' },
    ...{ sealed_secret: 'sealed', sealed_old_secret: null, old_secret_until: null, version: 1 },
  } as EndpointRecord
  await endpoints.add({ record, answer: undefined })
  return { endpoints, key: { workspace_id, endpoint_id: id } }
}

const claim = (key: EndpointKey, by: string, now: number) =>
  dispatchStore(db).claim(key, {
    by,
    now: new Date(now).toISOString(),
    until: new Date(now + 20_000).toISOString(),
  })

async function delivered(key: EndpointKey): Promise<DeliveryRecord> {
  const event = {
    ...{ id: newId('webhookEvent'), type: 'party.created' as const, occurred_at: '2027-01-04T07:00:00.000Z' },
    data: { id: newId('party'), case_id: null },
  }
  const record: DeliveryRecord = {
    ...{ ...key, id: deliveryIdOf(key.endpoint_id, event.id), event, event_id: event.id },
    ...{ event_type: event.type, status: 'succeeded', attempts: [], next_attempt_at: null },
    updated_at: systemClock.now().toISOString(),
  }
  await deliveryStore({ db, cursors: tableCursors(db) }).save(key, { deliveries: [record] })
  return record
}

const resend = (key: EndpointKey, id: string) =>
  deliveryStore({ db, cursors: tableCursors(db) }).resend(key, id, (record) => ({
    ...{ record, waiting: waitingFor(record.event, systemClock.now(), { isAgain: true }), answer: undefined },
  }))

/** The progress that a worker records for an endpoint that it has claimed. */
function progressOf(state: Dispatch | undefined) {
  if (state === undefined) throw new Error('It is claimed already.')
  const { followed_to, followed_at, failing_since, notices, is_replaying, is_paused } = state
  const { timeouts, quiet_until, reminded_at, recovered_to } = state
  const failing = { failing_since, notices, timeouts, quiet_until, reminded_at }
  return { ...failing, followed_to, followed_at, recovered_to, is_replaying, is_paused }
}

it('a resend makes its endpoint due at once: the sweep finds it if the message to the worker is lost', async () => {
  const { key } = await anEndpoint()
  const { id } = await delivered(key)
  const before = epochMilliseconds()

  await resend(key, id)

  const state = await dispatchStore(db).ask(key)
  expect(Date.parse(state?.due_at ?? '')).toBeGreaterThanOrEqual(before)
  expect(Date.parse(state?.due_at ?? '')).toBeLessThanOrEqual(epochMilliseconds())
})

it('a worker that sends meanwhile does not end its claim before it has seen a resend, or a change', async () => {
  const { endpoints, key } = await anEndpoint()
  const { id } = await delivered(key)
  const { release } = dispatchStore(db)
  const state = await claim(key, 'one', epochMilliseconds())
  const ended = async (asked = -1) => {
    const due_at = '9999-12-31T00:00:00.000Z'
    return release(key, 'one', { ...progressOf(state), due_at }, { seen: asked, isDone: true })
  }

  await resend(key, id)
  const afterResend = await ended(state?.asked)
  await endpoints.change(key.workspace_id, key.endpoint_id, (record) => ({
    record: { ...record, url: 'https://kanzlei.example/other', version: record.version + 1 },
    answer: undefined,
  }))
  const asked = (state?.asked ?? 0) + 1
  const afterChange = await ended(asked)

  expect([afterResend, afterChange, await ended(asked + 1)]).toEqual([false, false, true])
})

it('another address of an endpoint begins without the failures of the one before', async () => {
  const { endpoints, key } = await anEndpoint()
  const { release } = dispatchStore(db)
  const state = await claim(key, 'one', epochMilliseconds())
  const failing = { failing_since: '2027-01-01T00:00:00.000Z', notices: 2 }
  const progress = { ...progressOf(state), ...failing, due_at: '9999-12-31T00:00:00.000Z' }
  await release(key, 'one', progress, { seen: state?.asked ?? -1, isDone: false })

  await endpoints.change(key.workspace_id, key.endpoint_id, (record) => ({
    record: { ...record, url: 'https://kanzlei.example/other', version: record.version + 1 },
    answer: undefined,
  }))

  expect(await dispatchStore(db).ask(key)).toMatchObject({ failing_since: null, notices: 0 })
})

it('of ten workers at once one claims an endpoint, and another one when the claim has ended', async () => {
  const { key } = await anEndpoint()
  const now = epochMilliseconds()

  const claims = await Promise.all(Array.from({ length: 10 }, (_, at) => claim(key, String(at), now)))
  const early = await claim(key, 'early', now + 19_000)
  const late = await claim(key, 'late', now + 20_001)

  expect(claims.filter((one) => one !== undefined)).toHaveLength(1)
  expect([early, late?.claimed_until]).toEqual([undefined, new Date(now + 40_001).toISOString()])
})

it('of ten tests in one millisecond one begins, and another one when it has ended', async () => {
  const { key } = await anEndpoint()
  const now = epochMilliseconds()
  const begin = (from: number) =>
    dispatchStore(db).beginTest(key, {
      now: new Date(from).toISOString(),
      until: new Date(from + 20_000).toISOString(),
    })

  const begun = await Promise.all(Array.from({ length: 10 }, () => begin(now)))
  const early = await begin(now + 19_000)
  const late = await begin(now + 20_001)

  expect(begun.filter((one) => one)).toHaveLength(1)
  expect([early, late]).toEqual([false, true])
})

it('a claim, and a test, belong to the one who took them if the answer of the database was lost', async () => {
  const { key } = await anEndpoint()
  const connection = await faultyStore(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', connection.url)
  const dispatches = dispatchStore({ ...db, client: createClient() })
  let calls = 0
  connection.fault = () => {
    calls += 1
    return calls % 2 === 1 ? 'lose the answer' : 'none'
  }
  const now = epochMilliseconds()
  const times = { now: new Date(now).toISOString(), until: new Date(now + 20_000).toISOString() }

  const claimed = await dispatches.claim(key, { by: 'one', ...times })
  const isBegun = await dispatches.beginTest(key, times)
  connection.close()
  vi.unstubAllEnvs()

  expect([claimed?.claimed_until, isBegun]).toEqual([times.until, true])
})

it('a copy of a call that comes late does not shorten the claim', async () => {
  const { key } = await anEndpoint()
  const now = epochMilliseconds()
  const state = await claim(key, 'one', now)
  const until = new Date(now + 35_000).toISOString()
  await dispatchStore(db).renew(key, { by: 'one', until }, progressOf(state))

  const again = await claim(key, 'one', now)
  const other = await claim(key, 'other', now + 20_001)

  expect([again, other]).toEqual([undefined, undefined])
})

it('a resend to an endpoint that is deleted is refused', async () => {
  const { endpoints, key } = await anEndpoint()
  const { id } = await delivered(key)
  await endpoints.remove(key.workspace_id, key.endpoint_id)

  await expect(resend(key, id)).rejects.toMatchObject({ code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
  expect(await claim(key, 'one', epochMilliseconds())).toBeUndefined()
})

it('an endpoint that is disabled before its recovery has ended recovers from the same moment once it is enabled again', async () => {
  const { endpoints, key } = await anEndpoint()
  const setTo = (status: 'active' | 'disabled', lost_since: string | null) =>
    endpoints.change(key.workspace_id, key.endpoint_id, (record) => ({
      record: { ...record, status, lost_since, version: record.version + 1 },
      answer: undefined,
    }))
  await setTo('disabled', '2027-01-01T00:00:00.000Z')
  await setTo('active', null)
  await setTo('disabled', '2027-01-03T00:00:00.000Z')
  const now = epochMilliseconds()
  const state = await claim(key, 'one', now)
  if (state === undefined) throw new Error('It is claimed already.')
  const { due_at: _, asked, ...progress } = { ...state, recovered_to: '2027-01-01T00:00:00.000Z whd_1' }
  const { workspace_id: __, endpoint_id: ___, claimed_until: ____, recover_since: _____, ...left } = progress
  await dispatchStore(db).release(
    key,
    'one',
    { ...left, due_at: state.due_at },
    { seen: asked, isDone: true },
  )

  await setTo('active', null)

  const after = await claim(key, 'two', now)
  expect(after).toMatchObject({ recover_since: '2027-01-01T00:00:00.000Z', recovered_to: null })
})
