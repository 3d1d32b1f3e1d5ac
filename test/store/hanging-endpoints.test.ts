import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { workerFunctions } from '#functions/worker-functions.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { deliveryStore } from '#store/webhooks/delivery-store.ts'
import { dispatchStore } from '#store/webhooks/dispatch-store.ts'
import { endpointStore } from '#store/webhooks/endpoint-store.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { median } from '#test/bench/report.ts'
import { sharedTable } from '#test/support/table.ts'
import type { StoredEvent } from '#webhooks/catalogue-schema.ts'
import { delivering } from '#webhooks/deliveries/delivering.ts'
import { handOverDueDeliveries } from '#webhooks/deliveries/due.ts'
import type { DeliveryOrder } from '#webhooks/deliveries/queue.ts'
import { signingKey } from '#webhooks/deliveries/signature.ts'
import type { EndpointRecord } from '#webhooks/endpoint-ports.ts'

/** Endpoints that hang or are slow, beside a firm whose endpoint answers (E7). The workers are as many as on AWS. */

const { maxConcurrency = 0, share = 0 } =
  workerFunctions.find(({ name }) => name === 'deliveries')?.consumes ?? {}
/** As many as a stage has that counts on a thousand executions at once: Lambda's usual quota. */
const workersOfStage = Math.max(maxConcurrency, 1_000 * share)

/** The time limit of a request, a quarter of the real one: longer than a busy machine takes for a neighbour. */
const hangingMilliseconds = 4_000

let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

function anEvent(): StoredEvent {
  const data = { id: newId('party'), case_id: null }
  const occurred_at = systemClock.now().toISOString()
  return { id: newId('webhookEvent'), type: 'party.created', occurred_at, data }
}

/** Workers of deliveries behind a queue that serves messages in their order, and does not prefer quiet firms as SQS does. */
function workersOfDeliveries(workers = maxConcurrency) {
  const runner = { run: async () => {} }
  const endpoints = endpointStore({ db, outbox: outbox(db, runner, { error: () => {} }) })
  const deps = { db, cursors: tableCursors(db) }
  const events = eventLog(deps)
  let ahead = 0
  const clock = { now: () => new Date(epochMilliseconds() + ahead) }
  const received: { url: string; id: string; at: number }[] = []
  const orders: DeliveryOrder[] = []
  let busy = 0
  const busyWith = new Map<string, number>()
  let most = new Map<string, number>()

  const serve = (): void => {
    const order = busy < workers ? orders.shift() : undefined
    if (order === undefined) return
    const firm = order.workspace_id
    busy += 1
    busyWith.set(firm, (busyWith.get(firm) ?? 0) + 1)
    most.set(firm, Math.max(most.get(firm) ?? 0, busyWith.get(firm) ?? 0))
    void run(order, AbortSignal.timeout(50_000)).finally(() => {
      busy -= 1
      busyWith.set(firm, (busyWith.get(firm) ?? 0) - 1)
      serve()
    })
    serve()
  }
  const send = async (order: DeliveryOrder, { delaySeconds = 0 } = {}): Promise<void> => {
    setTimeout(() => {
      orders.push(order)
      serve()
    }, delaySeconds * 1_000)
  }

  const { run } = delivering({
    ...{ endpoints, dispatches: dispatchStore(db), deliveries: deliveryStore(deps), events, clock, send },
    beaRightsOf: async () => () => false,
    signing: async () => [signingKey('whsec_c2VjcmV0')],
    posterTo: (url) => ({
      post: async (_, headers) => {
        received.push({ url, id: headers['webhook-id'] ?? '', at: performance.now() })
        if (url.includes('neighbour')) return { status: 204, retryAfter: null }
        await sleep(hangingMilliseconds)
        return url.includes('slow') ? { status: 204, retryAfter: null } : { error: 'timeout' }
      },
      close: () => {},
    }),
    notify: async () => {},
    log: { warn: () => {} },
  })

  return {
    ...{ send, received },
    addEndpoint: async (workspace_id: string, url: string) => {
      const record = {
        ...{
          id: newId('webhookEndpoint'),
          workspace_id,
          url,
          acts_for: null,
          description: null,
          event_types: ['*'],
        },
        ...{ status: 'active', disabled_reason: null, lost_since: null, created_at: '', updated_at: '' },
        ...{ sealed_secret: 'sealed', sealed_old_secret: null, old_secret_until: null, version: 1 },
      } as EndpointRecord
      await endpoints.add({ record, answer: undefined })
    },
    /** Announces events in one message. @returns the first */
    happen: async (workspace_id: string, count = 1): Promise<StoredEvent> => {
      const events = Array.from({ length: count }, () => anEvent())
      await send({ workspace_id, events })
      return events[0] as StoredEvent
    },
    /** Sweeps after a time has passed. */
    sweepAfter: (milliseconds: number) => {
      ahead += milliseconds
      const log = { error: () => {} }
      const due = dispatchStore(db)
      return handOverDueDeliveries({ due, events, send, log }, clock.now(), { milliseconds: 10_000 })
    },
    isBusyFor: (workspace_id: string) => (busyWith.get(workspace_id) ?? 0) > 0,
    /** The most workers that were busy for a firm at once, since the last call. */
    mostFor: (workspace_id: string) => {
      const count = most.get(workspace_id) ?? 0
      most = new Map()
      return count
    },
  }
}

it('twenty endpoints of a firm that hang keep one worker busy when they are tried again, and delay no neighbour', async () => {
  const { addEndpoint, happen, received, sweepAfter, isBusyFor, mostFor } = workersOfDeliveries()
  const [firm, neighbour] = [newId('workspace'), newId('workspace')]
  for (let at = 0; at < 20; at += 1) await addEndpoint(firm, `https://hanging.example/${at}`)
  await addEndpoint(neighbour, 'https://neighbour.example/')
  const requests = () => received.filter(({ url }) => url.includes('hanging')).length
  const delays: number[] = []
  const neighbourUntil = async (isOver: () => boolean) => {
    for (let end = performance.now() + 100_000; !isOver() && performance.now() < end; await sleep(100)) {
      const begun = performance.now()
      const { id } = await happen(neighbour)
      await expect
        .poll(() => received.some((one) => one.id === id), { interval: 5, timeout: 60_000 })
        .toBe(true)
      delays.push(performance.now() - begun)
    }
  }

  await happen(firm)
  // At once, and five seconds later.
  await neighbourUntil(() => requests() >= 40)
  const mostAtFirst = mostFor(firm)
  await expect.poll(() => isBusyFor(firm), { timeout: 60_000 }).toBe(false)
  await sweepAfter(360_000)
  await neighbourUntil(() => requests() >= 60)

  expect([mostAtFirst, mostFor(firm)]).toEqual([1, 1])
  expect(requests()).toBe(60)
  expect(delays.length).toBeGreaterThan(10)
  expect(median(delays)).toBeLessThan(hangingMilliseconds / 2)
})

it('thirty firms with an endpoint that answers just in time delay no neighbour', async () => {
  const { addEndpoint, happen, received } = workersOfDeliveries(workersOfStage)
  const firms = Array.from({ length: 30 }, () => newId('workspace'))
  const neighbour = newId('workspace')
  for (const firm of firms) await addEndpoint(firm, 'https://slow.example/')
  await addEndpoint(neighbour, 'https://neighbour.example/')
  const delays: number[] = []

  for (const firm of firms) await happen(firm, 12)
  for (const end = performance.now() + 2 * hangingMilliseconds; performance.now() < end; await sleep(100)) {
    const begun = performance.now()
    const { id } = await happen(neighbour)
    await expect
      .poll(() => received.some((one) => one.id === id), { interval: 5, timeout: 60_000 })
      .toBe(true)
    delays.push(performance.now() - begun)
  }

  expect(received.filter(({ url }) => url.includes('slow')).length).toBeGreaterThan(100)
  expect(median(delays)).toBeLessThan(hangingMilliseconds / 2)
})
