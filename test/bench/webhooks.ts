import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from '#test/support/api.ts'
import { killedWhileSending } from '#test/support/killed-while-sending.ts'
import { type Service, startService } from '#test/support/service.ts'
import { addHook, startReceiver } from '#test/support/webhook-receiver.ts'
import { newWebhookSecret, signatureHeaders, signingKey } from '#webhooks/deliveries/signature.ts'
import { type Forked, forkModule } from './fork-module.ts'
import { cpuMilliseconds } from './load.ts'
import type { ReceiversOrder, ReceiversResult } from './receivers-process.ts'
import { median, type Part, round } from './report.ts'
import type { BenchSetup } from './setup.ts'

/** The receivers of a replay (E7). */
const replayed = 5
/** Requests at once to one receiver. */
const requestsAtOnce = 5

/**
 * Measures deliveries of a whole local service. First the time from the answer of a change to the receiver, also beside
 * an endpoint that hangs. Then the replay of events to five endpoints, compared with a bare loop of signing and fetching.
 */
export async function measureWebhooks(
  { withoutEnvironment }: BenchSetup,
  { changes, events }: { changes: number; events: number },
): Promise<Part> {
  const dataDir = dataFolder()
  const service = await startService({
    dataDir,
    commandLine: ['--empty'],
    environment: { ...withoutEnvironment, RATE_LIMIT_PER_SECOND: '0' },
  })
  try {
    const alone = await delays(service, changes)
    const hanging = await startReceiver(() => {})
    const hung = await addHook(ownerOf(service), hanging.url)
    const beside = await delays(service, changes)
    await ownerOf(service)('DELETE', `/api/v1/webhooks/endpoints/${hung.id}`)
    await hanging.close()
    const before = await bareLoop(events)
    const ours = await replay(service, events)
    const bare = meanOf(before, await bareLoop(events))
    return {
      title: 'Deliveries to webhooks',
      method: `A whole local service. ${changes} changes one after the other, a time under a millisecond counts as one; ${events} events replayed to ${replayed} endpoints, against a loop that signs and fetches to the same number of receivers, before and after. The receivers are one process, a new one each time. The table is in memory.`,
      rows: [
        {
          what: 'answer to receiver, median',
          milliseconds: round(fromAnswer(alone)),
        },
        { what: 'request to receiver, median', milliseconds: round(fromRequest(alone)) },
        { what: 'answer to receiver beside an endpoint that hangs', milliseconds: round(fromAnswer(beside)) },
        { what: 'request to receiver beside it', milliseconds: round(fromRequest(beside)) },
        { what: 'deliveries of a replay', 'per second': round(ours.perSecond), ...cpuOf(ours) },
        { what: 'a bare loop of signing and fetching', 'per second': round(bare.perSecond), ...cpuOf(bare) },
      ],
      targets: [
        {
          name: 'answer of a change to the receiver',
          measured: fromAnswer(alone),
          unit: 'ms',
          max: 500,
        },
        {
          name: 'answer to the receiver beside an endpoint that hangs, against without',
          measured: Math.max(1, fromAnswer(beside)) / Math.max(1, fromAnswer(alone)),
          unit: 'times',
          max: 1.3,
        },
        {
          name: 'deliveries against a bare loop',
          measured: ours.perSecond / bare.perSecond,
          unit: 'times',
          min: 0.5,
        },
      ],
    }
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Kills a service that sends, again and again, and counts what is lost and what comes twice. */
export async function measureLosses({ withoutEnvironment }: BenchSetup, changes: number): Promise<Part> {
  const { kills, requests, answered, logged, accepted, unexplained, renamed } = await killedWhileSending({
    changes,
    secondsOfLife: 10,
    environment: withoutEnvironment,
  })
  const [inLog, arrived] = [new Set(logged), new Set(accepted)]
  const twice = accepted.length - arrived.size
  return {
    title: 'Webhooks of a service that is killed',
    method: `${changes} changes; the service is killed (SIGKILL) ten seconds after each start, the receiver fails half the time, then the clock moves four days.`,
    rows: [
      { what: 'kills', count: kills },
      { what: 'changes that were answered', count: answered.length },
      { what: 'requests to the receiver', count: requests },
      { what: 'of them failed', count: requests - accepted.length },
      { what: 'events in the log', count: logged.length },
      { what: 'events that the receiver has accepted', count: arrived.size },
      { what: 'of them accepted more than once', count: twice },
    ],
    targets: [
      {
        name: 'changes without an event in the log',
        measured: answered.filter((id) => !inLog.has(id)).length,
        unit: '',
        max: 0,
      },
      { name: 'events twice in the log', measured: logged.length - inLog.size, unit: '', max: 0 },
      {
        name: 'events that did not arrive',
        measured: [...inLog].filter((id) => !arrived.has(id)).length,
        unit: '',
        max: 0,
      },
      {
        name: 'events accepted twice without a kill soon after the first time',
        measured: unexplained.length,
        unit: '',
        max: 0,
      },
      {
        name: 'events that came under another webhook-id when they were sent again',
        measured: renamed.length,
        unit: '',
        max: 0,
      },
    ],
  }
}

const cpuOf = ({ cpu }: Speed) => ({
  'CPU ms each: sender': round(cpu.sender),
  receivers: round(cpu.receivers),
  database: round(cpu.database),
})

const fromAnswer = (all: Delay[]) => median(all.map(({ ofAnswer }) => ofAnswer))
const fromRequest = (all: Delay[]) => median(all.map(({ ofRequest }) => ofRequest))

const ownerOf = ({ baseUrl, credentials }: Service) =>
  api(baseUrl, credentials.workspaces[0]?.users[0]?.api_key)

/** The milliseconds until the receiver has the event of a change: from the answer, and from the request. */
type Delay = { ofAnswer: number; ofRequest: number }

async function delays(service: Service, changes: number): Promise<Delay[]> {
  const owner = ownerOf(service)
  const receiver = await startReceiver()
  const hook = await addHook(owner, receiver.url)
  const found: Delay[] = []
  // The first are not counted: a function may still believe that the firm has no endpoint.
  for (let made = -10; made < changes; made += 1) {
    const asked = performance.now()
    const { id } = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier' } })).body
    const answered = performance.now()
    const isThere = () => receiver.received.find(({ event }) => event.data.id === id)
    await receiver.until(() => isThere() !== undefined)
    const at = isThere()?.arrived ?? 0
    if (made >= 0) found.push({ ofAnswer: Math.max(0, at - answered), ofRequest: at - asked })
  }
  await owner('DELETE', `/api/v1/webhooks/endpoints/${hook.id}`)
  await receiver.close()
  return found
}

/** A speed, with the CPU milliseconds for each delivery. */
type Speed = { perSecond: number; cpu: { sender: number; receivers: number; database: number } }

function meanOf(one: Speed, other: Speed): Speed {
  const mean = (of: (speed: Speed) => number) => (of(one) + of(other)) / 2
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    cpu: {
      sender: mean(({ cpu }) => cpu.sender),
      receivers: mean(({ cpu }) => cpu.receivers),
      database: mean(({ cpu }) => cpu.database),
    },
  }
}

/** Replays the events to receivers. */
async function replay(service: Service, events: number): Promise<Speed> {
  const owner = ownerOf(service)
  for (let made = 0; made < events; made += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => owner('POST', '/api/v1/parties', { body: { name: 'Meier' } })),
    )
  return withReceivers(events, async (receivers) => {
    const hooks = await Promise.all(
      receivers.result.urls.map((url) => addHook(owner, url, { event_types: ['party.created'] })),
    )
    // The log shows all of them, and the search has indexed the parties.
    await sleep(12_000)
    const { pid } = JSON.parse(readFileSync(join(service.dataDir, 'running.json'), 'utf8'))
    return measured(receivers, events, { sender: pid, database: descendants(pid) }, async () => {
      const answers = await Promise.all(
        hooks.map(({ id }) => owner('POST', `/api/v1/webhooks/endpoints/${id}/replay`, { body: {} })),
      )
      const counts = answers.map(({ body }) => body.count)
      if (counts.some((count) => count !== events)) throw new Error(`Replayed ${counts}, not ${events}`)
    })
  })
}

/** A loop in this process that only signs and fetches. */
async function bareLoop(events: number): Promise<Speed> {
  const key = signingKey(newWebhookSecret())
  const send = async (url: string, number: number) => {
    const body = JSON.stringify({
      type: 'party.created',
      timestamp: '2026-11-27T08:00:00.000Z',
      data: { id: `pty_${number}`, case_id: null },
    })
    const signature = signatureHeaders({ id: `wev_${number}`, at: new Date(0), body }, [key])
    const headers = { 'content-type': 'application/json', ...signature }
    await (await fetch(url, { method: 'POST', body, headers })).arrayBuffer()
  }
  return withReceivers(events, (receivers) =>
    measured(receivers, events, { sender: process.pid, database: [] }, async () => {
      await Promise.all(
        receivers.result.urls.flatMap((url) => {
          let left = events
          return Array.from({ length: requestsAtOnce }, async () => {
            for (; left > 0; ) {
              left -= 1
              await send(url, left)
            }
          })
        }),
      )
    }),
  )
}

type Receivers = Forked<ReceiversResult>

/** Starts receivers in a process of their own, new for each sender. */
async function withReceivers(events: number, work: (receivers: Receivers) => Promise<Speed>): Promise<Speed> {
  const order: ReceiversOrder = { count: replayed, requestsEach: events }
  const receivers = await forkModule<ReceiversResult>('receivers-process.ts', {}, order)
  try {
    return await work(receivers)
  } finally {
    await receivers.stop()
  }
}

/** Measures from the begin of the work until each receiver has everything. */
async function measured(
  receivers: Receivers,
  events: number,
  pids: { sender: number; database: number[] },
  work: () => Promise<void>,
): Promise<Speed> {
  const spent = () => ({
    sender: cpuMilliseconds(pids.sender),
    receivers: cpuMilliseconds(receivers.pid),
    database: pids.database.reduce((sum, pid) => sum + cpuMilliseconds(pid), 0),
  })
  const before = spent()
  const begun = performance.now()
  await Promise.all([receivers.next(), work()])
  const seconds = (performance.now() - begun) / 1_000
  const after = spent()
  const count = replayed * events
  return {
    perSecond: count / seconds,
    cpu: {
      sender: (after.sender - before.sender) / count,
      receivers: (after.receivers - before.receivers) / count,
      database: (after.database - before.database) / count,
    },
  }
}

/** All processes that a process has started, and their own child processes. */
function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return [...children, ...children.flatMap(descendants)]
}

/**
 * A data folder in memory, if the system has one. The local database waits for the disk after each item of a batch, some
 * milliseconds; DynamoDB does not.
 */
function dataFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'aktenlage-bench-'))
}
