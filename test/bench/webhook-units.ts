import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { announcingFoundation } from '#foundation/announcing.ts'
import { webhookFoundation } from '#foundation/webhooks.ts'
import { admin } from '#infra/tools/admin/index.ts'
import { scopes } from '#kernel/scope.ts'
import { startReceiver } from '#test/support/webhook-receiver.ts'
import { handOverDueDeliveries } from '#webhooks/deliveries/due.ts'
import { type DeliveryOrder, deliveryQueue } from '#webhooks/deliveries/queue.ts'
import { observe } from './mail-throughput.ts'
import { type Part, type Row, round } from './report.ts'
import { ask, contextOf, type Handler, type Request } from './requests.ts'
import { removesJobs, type StoreCall, type StoreCalls, unitsOf } from './store-calls.ts'

/** The units that its event may add to a change. */
const maxEventUnits = 2
/** The read units of a look whether a firm has endpoints. */
const maxLookUnits = 0.5
/** The write units of a delivery that succeeds at once: the claim, the delivery, the end of the claim. */
const maxDeliveryWrites = 3

/** The address of an endpoint to which nothing is sent here. */
const unusedUrl = 'http://127.0.0.1:9/hook'

/** The functions that change a firm, and the one that manages its endpoints. */
type Functions = Record<'cases' | 'parties' | 'deadlines' | 'webhooks', Handler>

/** A firm with a case and a party. `endpointId` is empty if it has no endpoint. */
type Office = { workspace_id: string; key: string; caseId: string; partyId: string; endpointId: string }

/** A change with one event. `count` is another number each time. */
type Change = {
  name: string
  function: 'cases' | 'parties' | 'deadlines'
  request: (office: Office, count: number) => Request
}

const parties = '/api/v1/parties'
const cases = '/api/v1/cases'
const endpoints = '/api/v1/webhooks/endpoints'

const addParty: Change = {
  name: 'add a party',
  function: 'parties',
  request: ({ key }) => ({ method: 'POST', resource: parties, body: { name: 'Meier' }, key }),
}

const openCase: Change = {
  name: 'open a case',
  function: 'cases',
  request: ({ key }) => ({ method: 'POST', resource: cases, body: { name: 'Meier ./. Schulze' }, key }),
}

const changes: Change[] = [
  addParty,
  openCase,
  {
    name: 'change a party',
    function: 'parties',
    request: ({ key, partyId }, count) => ({
      method: 'PUT',
      resource: `${parties}/{id}`,
      params: { id: partyId },
      body: { phone: `+49 30 ${1_000 + count}` },
      key,
    }),
  },
  {
    name: 'change a case',
    function: 'cases',
    request: ({ key, caseId }, count) => ({
      method: 'PUT',
      resource: `${cases}/{id}`,
      params: { id: caseId },
      body: { description: `Kaufpreis ${1_000 + count}` },
      key,
    }),
  },
  {
    name: 'enter a deadline',
    function: 'deadlines',
    request: ({ key, caseId }) => ({
      method: 'POST',
      resource: '/api/v1/deadlines',
      body: { title: 'Berufung', case_id: caseId, due_at: '2040-01-01' },
      key,
    }),
  },
]

/**
 * Measures what an event adds to its change: in a firm without endpoints with and without the event, and in a firm with
 * an endpoint.
 */
export async function measureEventUnits(storeCalls: StoreCalls, functions: Functions): Promise<Part> {
  const without = await newOffice(functions)
  const withEndpoint = await newOffice(functions, unusedUrl)
  let count = 0
  const callsOf = async (change: Change, office: Office, begins?: (call: StoreCall) => void) => {
    count += 1
    const request = change.request(office, count)
    const { calls } = await storeCalls.record(() => ask(functions[change.function], request), begins)
    return calls.filter((call) => !removesJobs(call))
  }
  const rows: Row[] = []
  const added: number[] = []
  const looks: number[] = []
  for (const change of changes) {
    // The first change of a function looks whether the firm has endpoints.
    const first = [...(await callsOf(change, without)), ...(await callsOf(change, withEndpoint))]
    looks.push(...first.filter(looksForEndpoints).map((call) => unitsOf([call]).read))
    let events = 0
    const ofBare = await callsOf(change, without, (call) => {
      events += leaveOutEvents(call)
    })
    if (events !== 1) throw new Error(`To ${change.name} has ${events} events.`)
    const bare = ownUnits(ofBare)
    const alone = ownUnits(await callsOf(change, without))
    let calls: StoreCall[] = []
    const orders = await ordersOf(async () => {
      calls = await callsOf(change, withEndpoint)
    })
    if (orders.length !== 1) throw new Error(`The worker got ${orders.length} orders.`)
    const announced = ownUnits(calls)
    added.push(sum(announced) - sum(bare))
    rows.push({
      change: change.name,
      'without its event': described(bare),
      'with it': described(alone),
      'in a firm with an endpoint': described(announced),
      'its event': round(sum(announced) - sum(bare)),
    })
  }
  const look = Math.max(...looks)
  rows.push({
    change: 'look for endpoints',
    'in a firm with an endpoint': described({ read: look, write: 0 }),
  })
  return {
    title: 'Webhooks: units of an event',
    method:
      'R read and W write units as the table reports them. Without its event: the transaction of the change is sent without the event. In a firm with an endpoint, the change also announces it to the worker. The look whether a firm has endpoints has a row of its own: a function makes it at most once in five seconds, and once in a minute if there are some.',
    rows,
    targets: [
      {
        name: 'units that its event adds to a change in a firm with an endpoint',
        measured: Math.max(...added),
        unit: '',
        max: maxEventUnits,
      },
      { name: 'units of a look whether a firm has endpoints', measured: look, unit: '', max: maxLookUnits },
    ],
  }
}

/** Leaves the events out of a transaction that is about to be sent. @returns how many it had */
function leaveOutEvents({ name, input }: StoreCall): number {
  if (name !== 'TransactWriteCommand') return 0
  const all = input.TransactItems as { Put?: { Item: { pk: string } } }[]
  const others = all.filter(({ Put }) => Put?.Item.pk.endsWith('#webhook_events#all') !== true)
  input.TransactItems = others
  return all.length - others.length
}

function looksForEndpoints({ name, input }: StoreCall): boolean {
  return name === 'GetCommand' && (input.Key as { pk: string }).pk.endsWith('#webhook_count')
}

type Units = { read: number; write: number }

function ownUnits(calls: StoreCall[]): Units {
  return unitsOf(calls.filter((call) => !looksForEndpoints(call)))
}

function sum({ read, write }: Units): number {
  return read + write
}

function described({ read, write }: Units): string {
  return [read > 0 ? `${round(read)} R` : '', write > 0 ? `${round(write)} W` : '']
    .filter(Boolean)
    .join(' + ')
}

/** The handler of the worker that delivers events. */
export type DeliveryWorker = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/** Events that are delivered together. */
const [eventsOfMessage, eventsOfReplay] = [25, 100]

/** Measures a delivery: at once, after a failure, and of a replay. Also what an endpoint costs that gets nothing. */
export async function measureDeliveryUnits(
  storeCalls: StoreCalls,
  functions: Functions,
  worker: DeliveryWorker,
): Promise<Part> {
  const receiver = await startReceiver()
  const office = await newOffice(functions, receiver.url)
  const { workspace_id } = office
  const announced = async (count: number): Promise<DeliveryOrder> => {
    const orders = await ordersOf(async () => {
      for (let made = 0; made < count; made += 1) await ask(functions.parties, addParty.request(office, made))
    })
    return { workspace_id, events: orders.flatMap(({ events = [] }) => events) }
  }
  /** Runs the worker for an order, which must bring the receiver this many events. */
  const delivered = async (order: DeliveryOrder, count: number): Promise<StoreCall[]> => {
    receiver.received.splice(0)
    const { calls } = await storeCalls.record(() => runWorker(worker, order))
    if (receiver.received.length !== count)
      throw new Error(`The receiver got ${receiver.received.length} events, not ${count}.`)
    return calls
  }
  try {
    await delivered(await announced(1), 1)
    const alone = await delivered(await announced(1), 1)
    const together = await delivered(await announced(eventsOfMessage), eventsOfMessage)
    receiver.answer(500)
    const failing = await delivered(await announced(1), 1)
    receiver.answer(204)
    await sleep(longestFirstPause)
    const again = await delivered({ workspace_id, endpoint_ids: [office.endpointId] }, 1)
    const events = await announced(eventsOfReplay + 1)
    const replay = await replayed(functions, office, events)
    const ofReplay = await delivered(replay, eventsOfReplay)
    const sweep = sweepOfEndpoints()
    // The first sweep looks at the layout of the table.
    await sweep()
    const ofSweep = (await storeCalls.record(sweep)).calls
    const swept = ofSweep.filter(({ input }) => isAbout(input, purposes['log and replay'])).length
    return {
      title: 'Webhooks: units of a delivery',
      method: `R read and W write units of each delivery as the table reports them, by what they are for. The worker runs in this process, as the receiver does. SQS, which asks the worker and to which it answers, costs no units. The next attempt comes after a failure. The sweep looks at endpoints every minute; it reads the due index once for all firms, and the log for each endpoint.`,
      rows: [
        rowOf('one event, sent at once', alone, 1),
        rowOf(`${eventsOfMessage} events of one message, each`, together, eventsOfMessage),
        rowOf('one event, which fails', failing, 1),
        rowOf('its next attempt, which succeeds', again, 1),
        rowOf(`a replay of ${eventsOfReplay} events, each`, ofReplay, eventsOfReplay),
        rowOf(`a sweep, endpoints: ${swept}`, ofSweep, 1),
      ],
      targets: [
        {
          name: 'write units of a delivery that succeeds at once',
          measured: unitsOf(alone).write,
          unit: '',
          max: maxDeliveryWrites,
        },
      ],
    }
  } finally {
    await receiver.close()
  }
}

/** The pause after a first failure is up to a tenth longer than five seconds. */
const longestFirstPause = 5_600

/** The purposes of the calls of a delivery, by what the key of their items has. */
const purposes = {
  'claim and due index': ['webhook_dispatches#'],
  endpoints: ['#webhook_endpoints'],
  'delivery record': ['#webhook_deliveries#'],
  'waiting list': ['#webhook_waiting#'],
  'log and replay': ['#webhook_events#', '#webhook_log_end', '#webhook_replays#'],
}

function rowOf(what: string, calls: StoreCall[], deliveries: number): Row {
  const each = (some: StoreCall[]): Units => {
    const { read, write } = unitsOf(some)
    return { read: read / deliveries, write: write / deliveries }
  }
  const left = new Set(calls)
  const columns = Object.entries(purposes).map(([purpose, keys]) => {
    const some = [...left].filter(({ input }) => isAbout(input, keys))
    for (const call of some) left.delete(call)
    return [purpose, described(each(some))]
  })
  return {
    what,
    ...Object.fromEntries(columns),
    other: described(each([...left])),
    together: described(each(calls)),
  }
}

function isAbout(input: object, keys: string[]): boolean {
  const text = JSON.stringify(input)
  return keys.some((key) => text.includes(key))
}

async function runWorker(worker: DeliveryWorker, order: DeliveryOrder): Promise<void> {
  const record = {
    messageId: randomUUID(),
    receiptHandle: 'none',
    body: JSON.stringify({ ...order, version: deliveryQueue.version }),
    attributes: { ApproximateReceiveCount: '1' },
  }
  const event = { Records: [record] } as unknown as SQSEvent
  const { batchItemFailures } = await worker(event, contextOf('deliveries', 60))
  if (batchItemFailures.length > 0) throw new Error('The worker could not carry out its order.')
}

/** The orders to the worker that some work sends. */
async function ordersOf(work: () => Promise<unknown>): Promise<DeliveryOrder[]> {
  const orders: DeliveryOrder[] = []
  const end = observe(SQSClient.prototype, ({ name, input }) => {
    const { QueueUrl, Entries = [] } = input as { QueueUrl?: string; Entries?: { MessageBody: string }[] }
    if (name === 'SendMessageBatchCommand' && QueueUrl === process.env.DELIVERIES_QUEUE_URL)
      orders.push(...Entries.map(({ MessageBody }) => JSON.parse(MessageBody)))
  })
  try {
    await work()
    return orders
  } finally {
    end()
  }
}

/** Asks for a replay of these events once the log shows them. @returns the order to the worker */
async function replayed(
  { webhooks }: Functions,
  { key, endpointId: id }: Office,
  { events = [] }: DeliveryOrder,
): Promise<DeliveryOrder> {
  const [first, last] = [events[0]?.id, events.at(-1)?.id]
  // The log shows an event when it is two seconds old. The first one is what the replay begins after.
  await sleep(3_000)
  const body = { after: first, until: last }
  const request = { method: 'POST', resource: `${endpoints}/{id}/replay`, params: { id }, body, key }
  const [order] = await ordersOf(() => ask(webhooks, request))
  if (order === undefined) throw new Error('The worker was not asked for the replay.')
  return order
}

/** Looks at the endpoints of all firms as the sweeper does. */
function sweepOfEndpoints() {
  const base = announcingFoundation('sweeper')
  const { dispatches, events } = webhookFoundation(base)
  const deps = { ...base, due: dispatches, events, send: async () => {} }
  return () => handOverDueDeliveries(deps, base.clock.now(), { milliseconds: 20_000 })
}

/** Creates a firm. An endpoint comes first: functions remember for some seconds that a firm has none. */
async function newOffice(functions: Functions, url?: string): Promise<Office> {
  const { createWorkspace, createUser, createKey } = admin()
  const { id: workspace_id } = await createWorkspace({
    name: 'Kanzlei',
    inbound_domain: 'inbound.example.de',
  })
  const user = await createUser(workspace_id, { name: 'Dr. Jana Vogt', email: 'vogt@example.de' })
  const { key } = await createKey(workspace_id, { user_id: user.id, name: 'Bench', scopes: [...scopes] })
  const bare = { workspace_id, key, caseId: '', partyId: '', endpointId: '' }
  const made = async (handler: Handler, request: Request) => JSON.parse((await ask(handler, request)).body).id
  const endpoint = { method: 'POST', resource: endpoints, body: { url }, key }
  const endpointId = url === undefined ? '' : await made(functions.webhooks, endpoint)
  const caseId = await made(functions.cases, openCase.request(bare, 0))
  const partyId = await made(functions.parties, addParty.request(bare, 0))
  return { ...bare, caseId, partyId, endpointId }
}
